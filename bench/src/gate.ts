import { required } from "waybill-scripts/run/required.js";
/** Holds handlers back between measurements, so that only one side works at a time. */
export class Gate {
  readonly #held: (() => void)[] = [];
  #open = 0;
  #done: { readonly resolve: () => void; readonly reject: (error: unknown) => void } | undefined;

  /** Lets so many handlers through and resolves when the last has gone. */
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

  /** Whoever waits for handlers hears of it. */
  fail(error: unknown): void {
    this.#done?.reject(error);
  }

  #letThrough(count: number): void {
    this.#open = count;
    while (this.#open > 0 && this.#held.length > 0) this.#release(required(this.#held.shift()));
  }

  #release(resolve: () => void): void {
    this.#open -= 1;
    resolve();
    if (this.#open === 0) this.#done?.resolve();
  }
}
