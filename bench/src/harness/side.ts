import { type SampleOptions, type Work, warmUp } from "./sample.js";

// One side of a comparison, in a separate process: takes a sample on request. Arguments: the module, and the arguments of its `openSide`.

/** Opens a side from the arguments of its process. */
export type OpenSide = (...args: string[]) => Promise<Side> | Side;

/** The work of a side, and how it is sampled. */
export interface Side extends SampleOptions {
  readonly work: Work;
}

const [module = "", ...args] = process.argv.slice(2);
const { openSide } = (await import(module)) as { readonly openSide: OpenSide };
const { work, ...options } = await openSide(...args);
const sample = await warmUp(work, options);
process.on("message", async () => process.send?.(await sample()));
// Open clients and servers would keep the process alive.
process.on("disconnect", () => process.exit());
process.send?.("ready");
