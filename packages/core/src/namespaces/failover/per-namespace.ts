import type { PairedNamespace } from "./active-namespace.js";

/** A sender, receiver or rule manager in each namespace, made when it is first used there. */
export class PerNamespace<Part extends { close(): Promise<void> }> {
  readonly #parts = new Map<PairedNamespace, Part>();
  readonly #create: (namespace: PairedNamespace) => Part;
  #isClosed = false;

  constructor(create: (namespace: PairedNamespace) => Part) {
    this.#create = create;
  }

  in(namespace: PairedNamespace): Part {
    const known = this.#parts.get(namespace);
    if (known !== undefined) return known;
    const part = this.#create(namespace);
    this.#parts.set(namespace, part);
    // Its calls reject with `closed` then.
    if (this.#isClosed) void part.close();
    return part;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all(Array.from(this.#parts.values(), (part) => part.close()));
  }
}
