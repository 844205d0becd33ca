import type { CircuitBreaker } from "../circuit-breaker/circuit-breaker.js";
import type { ReceiveMode, TransportReceiver, TransportSender } from "../contracts/transport.js";
import { WaybillError } from "../errors/error.js";
import { withDefaults } from "../foundation/known-options.js";
import { requireDuration, requireInteger } from "../foundation/numbers.js";
import type { Scheduler } from "../foundation/scheduler.js";
import type { UnavailableBackoff } from "../holding/unavailable-backoff.js";
import type { UndeserializableEvent } from "../message/undeserializable-event.js";
import type { RetrySettings } from "./handling.js";
import {
  defaultSubscribeOptions,
  type MessageHandlers,
  type SubscribeMessagesOptions,
} from "./processor-options.js";
import type { ProcessorSettings } from "./processor-settings.js";
import { type RetryOptions, resolveRetryOptions } from "./retry.js";

/** What a receiver and its client provide to every subscription. */
export interface SubscribeDependencies {
  readonly receiver: TransportReceiver;
  readonly entityPath: string;
  readonly scheduler: Scheduler;
  readonly isSubQueue: boolean;
  readonly renewForMs: number;
  readonly backoff: Required<UnavailableBackoff>;
  /** The circuit breaker of the entity, shared by the client's receivers; undefined if it is switched off or nothing is dead-lettered. */
  readonly breaker: CircuitBreaker | undefined;
  /** Whether the transport supports deferral. */
  readonly canDefer: boolean;
  readonly onUndeserializable: (event: UndeserializableEvent) => void;
  /** Whether a session stops at an undeserializable message. */
  readonly isBlocking: boolean;
  /** Sends to the entity itself; undefined if that is not possible or the transport cannot schedule. */
  readonly retrySender: (() => TransportSender) | undefined;
}

/** {@link SubscribeMessagesOptions} with every default filled in. */
type ResolvedSubscribeOptions = Pick<
  ProcessorSettings,
  "maxConcurrentCalls" | "prefetchCount" | "isAutoCompleting" | "renewForMs" | "closeTimeoutMs" | "retry"
>;

/** Checks the options of a subscription and fills in the defaults. */
export function resolveSubscribeOptions(
  options: SubscribeMessagesOptions,
  dependencies: SubscribeDependencies,
): ResolvedSubscribeOptions {
  const defaults = { ...defaultSubscribeOptions, maxAutoLockRenewalDurationInMs: dependencies.renewForMs };
  const resolved = withDefaults("subscribe", options, defaults);
  const { maxConcurrentCalls, prefetchCount } = resolved;
  requireInteger("maxConcurrentCalls", maxConcurrentCalls, 1);
  requireInteger("prefetchCount", prefetchCount, 0);
  requirePrefetchable(prefetchCount, dependencies.receiver.receiveMode, dependencies.entityPath);
  for (const name of ["maxAutoLockRenewalDurationInMs", "closeTimeoutInMs"] as const) {
    requireDuration(name, resolved[name], 0, Number.POSITIVE_INFINITY);
  }
  return {
    maxConcurrentCalls,
    prefetchCount,
    isAutoCompleting: resolved.autoCompleteMessages,
    renewForMs: resolved.maxAutoLockRenewalDurationInMs,
    closeTimeoutMs: resolved.closeTimeoutInMs,
    retry: resolveRetry(options.retry, dependencies),
  };
}

/** Throws `configuration-invalid` if prefetched messages could be lost. */
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

/** Throws `TypeError` unless both are functions. */
export function requireHandlers(
  handlers: Pick<MessageHandlers<never, never, never>, "processMessage" | "processError">,
): void {
  const { processMessage, processError } = handlers ?? {};
  if (typeof processMessage === "function" && typeof processError === "function") return;
  throw new TypeError("subscribe needs two functions, processMessage and processError.");
}

function resolveRetry(
  options: RetryOptions | undefined,
  { entityPath, retrySender: sender }: SubscribeDependencies,
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
