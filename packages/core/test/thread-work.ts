import { createHook } from "node:async_hooks";
import { quiet } from "./fixture.js";

/** What is done in other threads, such as hashing and decrypting. */
export interface ThreadWork extends Disposable {
  /** Resolves when nothing runs there and all ready callbacks have run, however long it takes on a busy machine. No clock advances meanwhile. */
  ended(): Promise<void>;
}

/** Follows work that begins from now on. */
export function followThreadWork(): ThreadWork {
  const running = new Set<number>();
  const forget = (id: number) => void running.delete(id);
  const hook = createHook({
    // HASHREQUEST, CIPHERREQUEST and the like.
    init: (id, type) => void (/^[A-Z]+REQUEST$/.test(type) && running.add(id)),
    after: forget,
    destroy: forget,
  }).enable();
  return {
    async ended() {
      do await quiet();
      while (running.size > 0);
    },
    [Symbol.dispose]: () => void hook.disable(),
  };
}
