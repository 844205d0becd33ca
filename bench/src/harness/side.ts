import { type SampleOptions, type Work, warmUp } from "./sample.js";

// One side of a comparison, in a process of its own: takes a sample when asked. Arguments: the module, and what its `openSide` gets.

/** Makes a side out of the arguments that its process got. */
export type OpenSide = (...args: string[]) => Promise<Side> | Side;

/** What a side does, and how it is sampled. */
export interface Side extends SampleOptions {
  readonly work: Work;
}

const [module = "", ...args] = process.argv.slice(2);
const { openSide } = (await import(module)) as { readonly openSide: OpenSide };
const { work, ...options } = await openSide(...args);
const sample = await warmUp(work, options);
process.on("message", async () => process.send?.(await sample()));
// Clients and servers that are open would keep it alive.
process.on("disconnect", () => process.exit());
process.send?.("ready");
