import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { newSeed, readOptions } from "waybill-harness/options.js";
import { python } from "../run-python.js";
import { confluentResults } from "./confluent.js";
import { pythonResults } from "./python.js";

// Exchanges generated values with other libraries, in both directions: Debian's python3-avro, python3-cbor2 and python3-msgpack, and
// @confluentinc/schemaregistry, which is installed beside the workspace (190 MB). PYTHON names another interpreter that has the modules.
// Exits with 1 when one value comes out differently. With --record the versions are written down for docs/interop.md.

const { values: count, seed, record } = readOptions({ values: 1000, seed: newSeed(), record: false });
console.log(`peer-formats: ${count} values of each format, seed ${seed}`);
const results = [...(await pythonResults(python, count, seed)), ...(await confluentResults(count, seed))];
for (const { name, version, ours, values, findings } of results) {
  const outcome = findings.length === 0 ? "all equal" : `${findings.length} differences`;
  console.log(`${name} ${version}, @waybill/${ours}: ${values} values in both directions, ${outcome}`);
  for (const finding of findings.slice(0, 5)) console.error(`  ${finding.slice(0, 500)}`);
}
const isClean = results.every(({ findings }) => findings.length === 0);
process.exitCode = isClean ? 0 : 1;
if (record && isClean) {
  const page = fileURLToPath(new URL("../../../test/interop/peer-formats.json", import.meta.url));
  const versions = results.map(({ name, version, ours, values }) => ({ name, version, ours, values }));
  writeFileSync(page, `${JSON.stringify(versions, null, 2)}\n`);
}
