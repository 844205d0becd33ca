import { WaybillError } from "@waybill/core";
import type { SettlementVerb } from "@waybill/core/pipeline";
import { systemScheduler, type TransportDeadLetterOptions } from "@waybill/core/transport";
import { pause, untilAborted } from "@waybill/foundation";
import type { HostMessage } from "../message/host-message.js";
import type { HostSettlement } from "../settlement/host-settlement.js";

/** The messages of one call of the function: which are not delivered yet, and which are not settled yet. */
export class Invocation {
  readonly settlement: HostSettlement;
  /** The session of all its messages; undefined without one. */
  readonly sessionId: string | undefined;
  readonly messages: readonly HostMessage[];
  readonly #waiting: HostMessage[];
  readonly #open: Set<HostMessage>;
  readonly #settled = new AbortController();
  /** Handlers that run now, and how often anything happened: a message that cannot be read now is kept while others go on. */
  #running = 0;
  #steps = 0;
  /** The first error of a handler. */
  failure: unknown;

  constructor(messages: readonly HostMessage[], settlement: HostSettlement, sessionId: string | undefined) {
    this.messages = messages;
    this.settlement = settlement;
    this.sessionId = sessionId;
    this.#waiting = [...messages];
    this.#open = new Set(messages);
  }

  /** The next messages for free slots; waits until the signal aborts when all are delivered. */
  next(maxMessages: number, signal: AbortSignal): Promise<HostMessage[]> {
    if (this.#waiting.length > 0) return Promise.resolve(this.#waiting.splice(0, maxMessages));
    return untilAborted(
      new Promise<never>(() => {}),
      signal,
      () => new WaybillError("aborted", "All messages were delivered."),
    );
  }

  /** Calls a handler and keeps its first error. */
  async handle(call: () => Promise<void> | void): Promise<void> {
    this.#running++;
    try {
      await call();
    } catch (error) {
      this.failure ??= error;
      throw error;
    } finally {
      this.#running--;
      this.#steps++;
    }
  }

  async settle(
    message: HostMessage,
    verb: SettlementVerb,
    options?: TransportDeadLetterOptions,
  ): Promise<void> {
    try {
      await this.settlement.settle(message, verb, options);
      this.#end(message, "settled");
    } catch (error) {
      this.#end(message, isLockLost(error) ? "lost" : "failed");
      throw error;
    }
  }

  async renewLock(message: HostMessage): Promise<Date> {
    try {
      return await this.settlement.renewLock(message);
    } catch (error) {
      if (isLockLost(error)) this.#end(message, "lost");
      throw error;
    }
  }

  /** Resolves when nothing is left to settle, or nothing has happened for this long, in milliseconds, and no handler is running. */
  async isDone(holdForMs: number): Promise<void> {
    const { signal } = this.#settled;
    for (let steps = -1; this.#open.size > 0 && (this.#running > 0 || steps !== this.#steps); ) {
      steps = this.#steps;
      await pause(holdForMs, systemScheduler, signal);
    }
  }

  /** Throws unless every message was settled, so that the host abandons the others. */
  requireSettled(entityPath: string): void {
    const left = this.messages.filter(({ state }) => state === "open" || state === "failed");
    if (left.length === 0) return;
    if (this.failure !== undefined) throw this.failure;
    const text = `${left.length} of ${this.messages.length} messages are left to the host, which abandons them.`;
    throw new WaybillError("unavailable", text, { entityPath });
  }

  #end(message: HostMessage, state: HostMessage["state"]): void {
    message.state = state;
    this.#steps++;
    this.#open.delete(message);
    if (this.#open.size === 0) this.#settled.abort();
  }
}

function isLockLost(error: unknown): boolean {
  return (
    error instanceof WaybillError &&
    (error.code === "message-lock-lost" || error.code === "session-lock-lost")
  );
}
