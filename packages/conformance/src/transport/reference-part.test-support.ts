import { WaybillError } from "@waybill/core";
import type { CallOptions } from "@waybill/core/transport";
import { failure, type ReferenceBroker } from "./reference-broker.test-support.js";

/** The life of something that a transport made: closed by itself or with its transport. */
export class ReferencePart {
  readonly broker: ReferenceBroker;
  readonly path: string;
  readonly #closing = new AbortController();
  readonly signal: AbortSignal;

  constructor(broker: ReferenceBroker, path: string, transport: AbortSignal) {
    this.broker = broker;
    this.path = path;
    this.signal = AbortSignal.any([this.#closing.signal, transport]);
  }

  async call<T>(options: CallOptions | undefined, run: () => T): Promise<T> {
    this.signal.throwIfAborted();
    if (options?.abortSignal?.aborted) throw failure("aborted", "The caller gave up.", this.path);
    this.broker.pump();
    return run();
  }

  async waiting<T>(
    options: CallOptions,
    maxWaitMs: number,
    attempt: (isDue: boolean) => T | undefined,
  ): Promise<T> {
    await this.call(options, () => {});
    const { abortSignal } = options;
    const signal = abortSignal === undefined ? this.signal : AbortSignal.any([this.signal, abortSignal]);
    try {
      return await this.broker.wait(attempt, maxWaitMs, signal);
    } catch (error) {
      if (error instanceof WaybillError) throw error;
      throw failure("aborted", "The caller gave up.", this.path);
    }
  }

  async close(): Promise<void> {
    this.#closing.abort(failure("closed", "It is closed.", this.path));
  }
}
