import type { Flood } from "./flood.js";
import { floodsOfFrames } from "./floods-of-frames.js";
import { floodsOfHttp } from "./floods-of-http.js";
import { floodsOfMemory } from "./floods-of-memory.js";
import { floodsOfTime } from "./floods-of-time.js";
import { floodsOfUnauthenticated } from "./floods-of-unauthenticated.js";

/** Everything that `pnpm reliability attack` does, in its order. */
export const allFloods: readonly Flood[] = [
  ...floodsOfUnauthenticated,
  ...floodsOfHttp,
  ...floodsOfMemory,
  ...floodsOfTime,
  ...floodsOfFrames,
];
