import type { Flood } from "./flood.js";
import { FLOODS_OF_FRAMES } from "./floods-of-frames.js";
import { FLOODS_OF_HTTP } from "./floods-of-http.js";
import { FLOODS_OF_MEMORY } from "./floods-of-memory.js";
import { FLOODS_OF_TIME } from "./floods-of-time.js";
import { FLOODS_OF_UNAUTHENTICATED } from "./floods-of-unauthenticated.js";

/** Everything that `pnpm reliability attack` does, in its order. */
export const FLOODS: readonly Flood[] = [
  ...FLOODS_OF_UNAUTHENTICATED,
  ...FLOODS_OF_HTTP,
  ...FLOODS_OF_MEMORY,
  ...FLOODS_OF_TIME,
  ...FLOODS_OF_FRAMES,
];
