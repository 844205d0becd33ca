import { required } from "@waybill/foundation";

/** Blocks handlers between measurements, so that only one side works at a time. */
export class Gate {
  readonly #held: (() => void)[] = [];
  #open = 0;
  #done: { readonly resolve: () => void; readonly reject: (error: unknown) => void } | undefined;

  /** Lets a number of handlers pass and resolves when the last has passed. */
  let(count: number): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#done = { resolve, reject };
      this.#letThrough(count);
    });
  }

  pass(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#open > 0) this.#release(resolve);
      else this.#held.push(resolve);
    });
  }

  /** Notifies the waiters of a blocked handler. */
  fail(error: unknown): void {
    this.#done?.reject(error);
  }

  #letThrough(count: number): void {
    this.#open = count;
    while (this.#open > 0 && this.#held.length > 0) this.#release(required(this.#held.shift()));
  }

  #release(resolve: () => void): void {
    this.#open--;
    resolve();
    if (this.#open === 0) this.#done?.resolve();
  }
}
