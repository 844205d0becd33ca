import { callHook } from "@waybill/foundation";
import type { Settlement, SettlementVerb } from "../contracts/settlement.js";
import type { DeliveredMessage, TransportDeadLetterOptions } from "../contracts/transport.js";
import type { DeserializationOutcome } from "../message/outcome.js";
import type { UndeserializableEvent } from "../message/undeserializable-event.js";
import { looksLike } from "../recognition/looks-like.js";
import type {
  DiagnosticEvent,
  Diagnostics,
  OperationTrace,
  ReceiveEvent,
  TracedOperation,
} from "./diagnostics.js";
import { messageFacts } from "./message-facts.js";

/** Creates the event of an operation that has ended. */
type ToEvent<T> = (durationInMs: number, error: unknown, result: T | undefined) => DiagnosticEvent;

/** Reports the client's work to its `diagnostics`. Errors of the hooks do not affect the client. */
export class Observer {
  readonly #diagnostics: Diagnostics;
  /** The trace that receives the events of a message. */
  readonly #traces = new WeakMap<DeliveredMessage, OperationTrace>();
  readonly #reading = new WeakMap<OperationTrace, number>();

  constructor(diagnostics: Diagnostics) {
    this.#diagnostics = diagnostics;
  }

  /** Whether any hook is set now. */
  get isOn(): boolean {
    return this.#diagnostics.onEvent !== undefined || this.#diagnostics.trace !== undefined;
  }

  /** Whether operations are traced now. */
  get isTracing(): boolean {
    return this.#diagnostics.trace !== undefined;
  }

  /** Begins the trace of an operation; undefined if it is not traced. */
  begin(operation: TracedOperation): OperationTrace | undefined {
    try {
      return this.#diagnostics.trace?.(operation);
    } catch {
      return undefined;
    }
  }

  /** Runs an operation in its trace and reports its end. */
  async follow<T>(
    trace: OperationTrace | undefined,
    work: () => Promise<T>,
    toEvent: ToEvent<T>,
  ): Promise<T> {
    const startedAt = performance.now();
    try {
      const result = await this.run(trace, work);
      this.#emit(() => toEvent(performance.now() - startedAt, undefined, result), trace);
      this.end(trace);
      return result;
    } catch (error) {
      this.#emit(() => toEvent(performance.now() - startedAt, error, undefined), trace);
      this.end(trace, error);
      throw error;
    }
  }

  /** Runs the work in the trace's context, or without it if the trace throws; always exactly once. */
  run<T>(trace: OperationTrace | undefined, work: () => T): T {
    if (trace === undefined) return work();
    let result: { readonly value: T } | undefined;
    let thrown: { readonly error: unknown } | undefined;
    let hasRun = false;
    try {
      trace.run(() => {
        if (hasRun) return;
        hasRun = true;
        try {
          result = { value: work() };
        } catch (error) {
          thrown = { error };
        }
      });
    } catch {
      // Only errors of the trace itself are caught here.
    }
    hasRun = true;
    if (thrown !== undefined) throw thrown.error;
    return result === undefined ? work() : result.value;
  }

  end(trace: OperationTrace | undefined, error?: unknown): void {
    if (trace !== undefined) callHook(() => trace.end(error));
  }

  /**
   * Reports a call that receives or peeks. Its trace ends when all of its messages are read; without messages it is not traced, because idle
   * receivers poll constantly.
   */
  async receive(
    type: ReceiveEvent["type"],
    entityPath: string,
    work: () => Promise<DeliveredMessage[]>,
  ): Promise<DeliveredMessage[]> {
    const startedAtMs = Date.now();
    const delivered = await this.follow(undefined, work, (durationInMs, error, result = []) => {
      return { type, entityPath, messages: result.map(messageFacts), durationInMs, error };
    });
    if (delivered.length === 0 || !this.isTracing) return delivered;
    const trace = this.begin({ type, entityPath, messages: delivered.map(messageFacts), startedAtMs });
    if (trace === undefined) return delivered;
    this.#reading.set(trace, delivered.length);
    for (const message of delivered) this.#traces.set(message, trace);
    return delivered;
  }

  /** Processes a message of a subscription in a trace, which receives all events of the message. */
  async process(
    entityPath: string,
    delivered: DeliveredMessage,
    work: (delivered: DeliveredMessage) => Promise<void>,
  ): Promise<void> {
    const trace = this.begin({ type: "process", entityPath, message: messageFacts(delivered) });
    if (trace === undefined) return work(delivered);
    this.#traces.set(delivered, trace);
    try {
      await this.run(trace, () => work(delivered));
    } finally {
      this.end(trace);
    }
  }

  /** Reports an event; `describe` is called only if a hook is set. */
  report(describe: () => DiagnosticEvent, message?: DeliveredMessage): void {
    this.#emit(describe, message === undefined ? undefined : this.#traces.get(message));
  }

  /** A body was read, or could not be. */
  deserialized(
    entityPath: string,
    delivered: DeliveredMessage,
    outcome: DeserializationOutcome,
    isPeeked: boolean,
  ): void {
    const trace = this.#traces.get(delivered);
    this.#emit(
      () => ({
        type: "deserialize",
        entityPath,
        message: messageFacts(delivered),
        isPeeked,
        outcome: outcome.status,
        deadLetterReason: outcome.status === "undeserializable" ? outcome.reason : undefined,
        looksLike: looksLike(outcome),
        report: outcome.report,
      }),
      trace,
    );
    if (trace === undefined) return;
    const left = this.#reading.get(trace);
    if (left === undefined) return;
    this.#traces.delete(delivered);
    this.#reading.set(trace, left - 1);
    if (left === 1) this.end(trace);
  }

  /** Begins to trace a handler; returns the function to call when it has finished. */
  processing(entityPath: string, delivered: DeliveredMessage): (error: unknown) => void {
    const startedAt = performance.now();
    return (error) => {
      const durationInMs = performance.now() - startedAt;
      this.report(() => {
        return { type: "process", entityPath, message: messageFacts(delivered), durationInMs, error };
      }, delivered);
    };
  }

  /** Reports an unread message and its disposition. */
  undeserializable({ message, entityPath, disposition, ...event }: UndeserializableEvent): void {
    const error = event.settlementError ?? event.error;
    const delivered = (message.settlement as Settlement | undefined)?.message;
    this.report(() => {
      const facts = messageFacts({ ...message, body: message.rawBody });
      return { type: "undeserializable", entityPath, message: facts, disposition, error };
    }, delivered);
  }

  /** Runs a settlement in a trace and reports it. */
  settle(
    entityPath: string,
    delivered: DeliveredMessage,
    verb: SettlementVerb,
    options: TransportDeadLetterOptions | undefined,
    work: () => Promise<void>,
  ): Promise<void> {
    if (!this.isOn) return work();
    const message = messageFacts(delivered);
    const trace = this.begin({ type: "settle", entityPath, message, verb });
    const deadLetterReason = options?.deadLetterReason;
    return this.follow(trace, work, (durationInMs, error) => {
      return { type: "settle", entityPath, message, verb, deadLetterReason, durationInMs, error };
    });
  }

  #emit(describe: () => DiagnosticEvent, trace: OperationTrace | undefined): void {
    const { onEvent } = this.#diagnostics;
    if (onEvent === undefined && trace?.onEvent === undefined) return;
    const event = describe();
    callHook(() => onEvent?.(event));
    callHook(() => trace?.onEvent?.(event));
  }
}
