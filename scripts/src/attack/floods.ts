import type { Flood } from "./flood.js";
import { FLOODS_OF_FRAMES } from "./floods-of-frames.js";
import { FLOODS_OF_MEMORY } from "./floods-of-memory.js";
import { FLOODS_OF_STRANGERS } from "./floods-of-strangers.js";
import { FLOODS_OF_TIME } from "./floods-of-time.js";

/** Everything that `pnpm attack` does, in its order. */
export const FLOODS: readonly Flood[] = [
  ...FLOODS_OF_STRANGERS,
  ...FLOODS_OF_MEMORY,
  ...FLOODS_OF_TIME,
  ...FLOODS_OF_FRAMES,
];
