import { parseArgs } from "node:util";
import { writeMarked } from "waybill-harness/fill-marked.js";
import { installTool } from "waybill-harness/install-tool.js";
import { runTests, type TestRun } from "./run-tests.js";

// Runs the tests of the published packages under other releases of Node, which it installs from the npm package `node` into the folder for
// tools. Exits with 1 when a test fails or the time is up. `--write` writes the outcome into the docs.

const { values: args } = parseArgs({
  options: {
    node: { type: "string", multiple: true, default: ["24", "26"] },
    package: { type: "string", multiple: true },
    minutes: { type: "string", default: "8" },
    write: { type: "boolean", default: false },
  },
});
const page = new URL("../../../docs/compatibility.md", import.meta.url);
const packages = [
  "core",
  "serializer-avro",
  "serializer-cbor",
  "serializer-dotnet",
  "serializer-json",
  "serializer-msgpack",
  "serializer-protobuf",
  "serializer-xml",
  "broker",
  "amqp",
  "broker-server",
  "transport-local",
  "transport-azure",
  "cli",
  "migration",
  "testing",
];

const rows: string[] = [];
for (const release of args.node) {
  const program = process.platform === "win32" ? "node/bin/node.exe" : "node/bin/node";
  const node = await installTool(`node-${release}`, { dependencies: { node: release } }, program);
  const run = await runTests(node, args.package ?? packages, Number(args.minutes) * 60_000);
  console.log(`${run.version}: ${outcomeOf(run)}, ${Math.round(run.durationMs / 1000)} s`);
  for (const failure of run.failures) console.error(`  ${failure}`);
  if (run.unfinished.length > 0 || run.failures.length > 0) process.exitCode = 1;
  rows.push(`| ${run.version} | ${outcomeOf(run)} | ${new Date().toISOString().slice(0, 10)} |`);
}
if (args.write) {
  const table = ["| Node | tests | on |", "|---|---|---|", ...rows].join("\n");
  writeMarked(page, "node-versions", table);
}

function outcomeOf({ passed, failures, unfinished }: TestRun): string {
  const failed = failures.length === 0 ? "" : `, ${failures.length} failed`;
  const left = unfinished.length === 0 ? "" : `; no time was left for ${unfinished.join(", ")}`;
  return `${passed} passed${failed}${left}`;
}
