import { WaybillError } from "../error.js";
import { type Scheduler, steadyNow } from "../scheduler.js";
import type { ReceiveMode, TransportReceiver, TransportSender } from "../transport.js";
import { CircuitBreaker } from "./circuit-breaker.js";
import type { CircuitBreakerEvent } from "./circuit-breaker-event.js";
import type { ResolvedCircuitBreakerOptions } from "./circuit-breaker-options.js";
import { DelayedAbandons, type UnavailableBackoff } from "./delayed-abandons.js";
import { durationMs } from "./duration.js";
import type { RetrySettings } from "./handling.js";
import type { ProcessorSettings } from "./processor.js";
import {
  defaultSubscribeOptions,
  type MessageHandlers,
  type SubscribeMessagesOptions,
} from "./processor-options.js";
import { type RetryOptions, resolveRetryOptions } from "./retry.js";
import type { UndeserializableEvent } from "./undeserializable-event.js";
import { requireWholeNumber } from "./whole-number.js";

/** What the receiver and its client give to every subscription. */
export interface SubscribeSurroundings {
  readonly receiver: TransportReceiver;
  readonly entityPath: string;
  readonly scheduler: Scheduler;
  readonly isSubQueue: boolean;
  readonly renewForMs: number;
  readonly backoff: Required<UnavailableBackoff>;
  readonly circuitBreaker: ResolvedCircuitBreakerOptions | undefined;
  readonly onCircuitBreaker: (event: CircuitBreakerEvent) => void;
  readonly onUndeserializable: (event: UndeserializableEvent) => void;
  /** Whether a session stops at what nobody can read. */
  readonly isBlocking: boolean;
  /** Sends to the entity itself; undefined where that cannot be done, or nothing can be scheduled. */
  readonly retrySender: (() => TransportSender) | undefined;
}

/** Checks the options of a subscription and fills in the defaults. */
export function resolveSubscribeOptions(
  options: SubscribeMessagesOptions,
  surroundings: SubscribeSurroundings,
): Omit<ProcessorSettings, "intake" | "session" | "onClosed"> {
  const defaults = defaultSubscribeOptions;
  const { maxConcurrentCalls = defaults.maxConcurrentCalls, prefetchCount = defaults.prefetchCount } =
    options;
  requireWholeNumber("maxConcurrentCalls", maxConcurrentCalls, 1);
  requireWholeNumber("prefetchCount", prefetchCount, 0);
  requirePrefetchable(prefetchCount, surroundings.receiver.receiveMode, surroundings.entityPath);
  const { maxAutoLockRenewalDurationInMs, closeTimeoutInMs } = options;
  const { scheduler, backoff, renewForMs, isBlocking, onUndeserializable } = surroundings;
  return {
    abandons: new DelayedAbandons(scheduler, backoff),
    maxConcurrentCalls,
    prefetchCount,
    isAutoCompleting: options.autoCompleteMessages ?? defaults.autoCompleteMessages,
    renewForMs: durationMs("maxAutoLockRenewalDurationInMs", maxAutoLockRenewalDurationInMs, renewForMs),
    closeTimeoutMs: durationMs("closeTimeoutInMs", closeTimeoutInMs, defaults.closeTimeoutInMs),
    retry: resolveRetry(options.retry, surroundings),
    breaker: createBreaker(surroundings),
    isBlocking,
    onUndeserializable,
  };
}

/** A circuit breaker for one subscription; undefined where it is switched off, or nothing would be dead-lettered anyway. */
export function createBreaker({
  circuitBreaker,
  isSubQueue,
  entityPath,
  scheduler,
  onCircuitBreaker,
}: Pick<
  SubscribeSurroundings,
  "circuitBreaker" | "isSubQueue" | "entityPath" | "scheduler" | "onCircuitBreaker"
>): CircuitBreaker | undefined {
  if (circuitBreaker === undefined || isSubQueue) return undefined;
  return new CircuitBreaker(circuitBreaker, entityPath, () => steadyNow(scheduler), onCircuitBreaker);
}

/** Throws `configuration-invalid` where messages that are received ahead would be lost. */
export function requirePrefetchable(
  prefetchCount: number,
  receiveMode: ReceiveMode,
  entityPath: string,
): void {
  if (prefetchCount === 0 || receiveMode === "peekLock") return;
  const text =
    "prefetchCount must be 0 in receiveAndDelete mode: what is received ahead and never handled would be lost.";
  throw new WaybillError("configuration-invalid", text, { entityPath });
}

/** Throws `TypeError` unless both functions are there. */
export function requireHandlers({
  processMessage,
  processError,
}: Pick<MessageHandlers<never, never, never>, "processMessage" | "processError">): void {
  if (typeof processMessage === "function" && typeof processError === "function") return;
  throw new TypeError("subscribe needs two functions, processMessage and processError.");
}

function resolveRetry(
  options: RetryOptions | undefined,
  { entityPath, retrySender: sender }: SubscribeSurroundings,
): RetrySettings | undefined {
  if (options === undefined) return undefined;
  const resolved = resolveRetryOptions(options);
  if (sender !== undefined) return { ...resolved, sender };
  throw new WaybillError(
    "configuration-invalid",
    "retry schedules a copy, which only works on a queue without sessions, received in peek-lock mode: the copy would reach every " +
      "subscription of a topic, leave its place in a session, or bring a dead letter back.",
    { entityPath },
  );
}
