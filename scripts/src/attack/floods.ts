import type { Flood } from "./flood.js";
import { MEMORY_FLOODS } from "./floods-of-memory.js";
import { TIME_FLOODS } from "./floods-of-time.js";

/** Everything that `pnpm attack` does, in its order. */
export const FLOODS: readonly Flood[] = [...MEMORY_FLOODS, ...TIME_FLOODS];
