import { measure, type Result } from "./harness/measure.js";
import { partOf } from "./suites.js";

// Measures one part of a suite, and sends its results. Arguments: the suite, the part, the rounds.

const [suite = "", part = "", rounds = ""] = process.argv.slice(2);
const results: Result[] = [];
for (const probe of [await partOf(suite, part)()].flat())
  results.push(...(await measure(suite, probe, Number(rounds))));
process.send?.(results);
