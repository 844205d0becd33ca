import { readOptions } from "waybill-harness/options.js";
import { dimensions } from "./dimensions.js";
import { measureGrowth } from "./growth.js";

// Reads, writes and compiles in every format what grows in one dimension, and fails where the time grows faster than the bytes, or a mebibyte
// takes too long.

/** The smallest size of each dimension; the largest has eight times as many bytes. */
const { kibibytes, only } = readOptions({ kibibytes: 128, only: "" });

let faults = 0;
let measured = 0;
for (const [name, dimension] of dimensions) {
  if (!name.includes(only)) continue;
  measured++;
  const { growth, msPerMebibyte, fault } = measureGrowth(dimension, kibibytes * 1024);
  const figures = `${growth.toFixed(1)} times the time per byte, ${msPerMebibyte.toFixed(0)} ms per MiB`;
  if (fault === undefined) console.log(`${name}: ${figures}`);
  else {
    faults++;
    console.error(`FAILED ${name}: ${fault}: ${figures}`);
  }
}
console.log(
  faults === 0
    ? `The time grows with the bytes in all ${measured} dimensions.`
    : `The time grows faster than the bytes, or is beyond the bar, in ${faults} of ${measured} dimensions.`,
);
if (faults > 0) process.exitCode = 1;
