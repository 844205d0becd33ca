import { readOptions } from "waybill-harness/options.js";
import { allBodies } from "../growing-bodies/all-bodies.js";
import { measureGrowth } from "./growth.js";

// Reads bodies of every format that grow in one dimension, and fails where the time grows faster than the bytes.

/** The smallest body of each dimension; the largest has eight times as many bytes. */
const { kibibytes, only } = readOptions({ kibibytes: 128, only: "" });

let faults = 0;
let measured = 0;
for (const [name, body] of allBodies) {
  if (!name.includes(only)) continue;
  measured++;
  const { growth, msPerMebibyte, isLinear } = measureGrowth(body, kibibytes * 1024);
  const figures = `${growth.toFixed(1)} times the time per byte, ${msPerMebibyte.toFixed(0)} ms per MiB`;
  if (isLinear) console.log(`${name}: ${figures}`);
  else {
    faults++;
    console.error(`FAILED ${name}: ${figures}`);
  }
}
console.log(
  faults === 0
    ? `The time grows with the bytes in all ${measured} dimensions.`
    : `The time grows faster than the bytes in ${faults} of ${measured} dimensions.`,
);
if (faults > 0) process.exitCode = 1;
