import { controllerForMany } from "./under-either.js";

/**
 * An abort controller for many listeners that most owners never need: creating and aborting a real one takes longer than all else in closing
 * what owns it, so that happens only once somebody asks for the signal.
 */
export class LazyAbortController {
  #controller: AbortController | undefined;
  #isAborted = false;

  get isAborted(): boolean {
    return this.#isAborted;
  }

  /** The same at each call; already aborted after `abort`. */
  get signal(): AbortSignal {
    this.#controller ??= controllerForMany();
    if (this.#isAborted) this.#controller.abort();
    return this.#controller.signal;
  }

  abort(): void {
    this.#isAborted = true;
    this.#controller?.abort();
  }
}
