import { BodySlabs } from "./bodies/body-slabs.js";
import type { Storage } from "./storage.js";

/** Creates the default storage, which keeps bodies in memory and is lost when the broker closes. Each broker needs its own. */
export function createMemoryStorage(): Storage {
  const bodies = new BodySlabs();
  const forget = (): void => {};
  return {
    isVolatile: true,
    get memoryBytes() {
      return bodies.memoryBytes;
    },
    load: async () => {},
    putBody: (bytes) => bodies.put(bytes),
    readBody: (id) => bodies.read(id),
    retainBody: (id) => bodies.retain(id),
    releaseBody: (id) => bodies.release(id),
    putEntity: forget,
    deleteEntity: forget,
    putCounter: forget,
    putMessage: forget,
    deleteMessage: forget,
    putSession: forget,
    deleteSession: forget,
    putDuplicate: forget,
    deleteDuplicate: forget,
    commit: () => undefined,
    close: async () => {},
  };
}
