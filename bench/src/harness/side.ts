import { required } from "@waybill/foundation";
import type { Figures } from "./probe.js";
import { type SampleOptions, type Work, warmUp } from "./sample.js";

// Sides of a comparison, in a separate process: takes a sample of the one that it is asked for. Arguments: the module, the names of the sides with
// commas, and the arguments of its `openSide`.

/** Opens a side from the arguments of its process, of which the last is its name. */
export type OpenSide = (...args: string[]) => Promise<Side> | Side;

/** The work of a side, and how it is sampled. */
export interface Side extends SampleOptions {
  readonly work: Work;
}

const [module = "", names = "", ...args] = process.argv.slice(2);
const { openSide } = (await import(module)) as { readonly openSide: OpenSide };
const samples = new Map<string, () => Promise<Figures>>();
for (const name of names.split(",")) {
  const { work, ...options } = await openSide(...args, name);
  samples.set(name, await warmUp(work, options));
}
process.on("message", async (name: string) => process.send?.(await required(samples.get(name))()));
// Open clients and servers would keep the process alive.
process.on("disconnect", () => process.exit());
process.send?.("ready");
