import { BodySlabs } from "./bodies/body-slabs.js";
import type { Storage } from "./storage.js";

/** Creates the default storage, which keeps bodies in memory and is lost when the broker closes. Each broker needs its own. */
export function createMemoryStorage(): Storage {
  return new MemoryStorage();
}

/** A class, because an object literal with a getter has its properties in a dictionary, and some are read several times per message. */
class MemoryStorage implements Storage {
  readonly isVolatile = true;
  readonly #bodies = new BodySlabs();

  get memoryBytes(): number {
    return this.#bodies.memoryBytes;
  }

  async load(): Promise<void> {}

  putBody(bytes: Uint8Array): number {
    return this.#bodies.put(bytes);
  }

  readBody(bodyId: number): Uint8Array {
    return this.#bodies.read(bodyId);
  }

  retainBody(bodyId: number): void {
    this.#bodies.retain(bodyId);
  }

  releaseBody(bodyId: number): void {
    this.#bodies.release(bodyId);
  }

  putEntity(): void {}
  deleteEntity(): void {}
  putCounter(): void {}
  putMessage(): void {}
  deleteMessage(): void {}
  putSession(): void {}
  deleteSession(): void {}
  putDuplicate(): void {}
  deleteDuplicate(): void {}
  commit(): undefined {}
  async close(): Promise<void> {}
}
