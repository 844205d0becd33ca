import { serveSide } from "./compare-apart.js";
import { engineComparisons } from "./engine.js";

// One side of a comparison of the suite `engine`: engine-side.js PART baseline|subject.

const [part = "", side] = process.argv.slice(2);
await serveSide(await engineComparisons[part]![side as "baseline" | "subject"]());
