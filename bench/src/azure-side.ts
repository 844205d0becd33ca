import { azureComparisons } from "./azure.js";
import { serveSide } from "./compare-apart.js";

// One side of a comparison of the suite `azure`: azure-side.js PART baseline|subject. Its broker server is another process, its own, too.

const [part = "", side] = process.argv.slice(2);
const { work, ...options } = await azureComparisons[part]![side as "baseline" | "subject"]();
await serveSide(work, options);
