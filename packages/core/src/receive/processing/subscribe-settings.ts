import { requireDuration, requireInteger, withDefaults } from "@waybill/foundation";
import type { ReceiveMode } from "../../contracts/transport.js";
import { WaybillError } from "../../errors/error.js";
import type { ReceiverContext } from "../delivery/receiver-context.js";
import type { RetrySettings } from "./handling.js";
import {
  defaultSubscribeOptions,
  type MessageHandlers,
  type SubscribeMessagesOptions,
} from "./processor-options.js";
import type { ProcessorSettings } from "./processor-settings.js";
import { type RetryOptions, resolveRetryOptions } from "./retry-options.js";

/** {@link SubscribeMessagesOptions} with every default filled in. */
interface ResolvedSubscribeOptions extends ProcessorSettings {
  readonly closeTimeoutMs: number;
}

/** What the options are checked against. */
type SubscribedReceiver = Pick<ReceiverContext, "receiver" | "renewForMs" | "retrySender">;

/** Checks the options of a subscription and fills in the defaults. */
export function resolveSubscribeOptions(
  options: SubscribeMessagesOptions,
  subscribed: SubscribedReceiver,
): ResolvedSubscribeOptions {
  const { receiver, renewForMs } = subscribed;
  const defaults = { ...defaultSubscribeOptions, maxAutoLockRenewalDurationInMs: renewForMs };
  const resolved = withDefaults("subscribe", options, defaults);
  const { maxConcurrentCalls, prefetchCount } = resolved;
  requireInteger("maxConcurrentCalls", maxConcurrentCalls, 1);
  requireInteger("prefetchCount", prefetchCount, 0);
  requirePrefetchable(prefetchCount, receiver.receiveMode, receiver.entityPath);
  for (const name of ["maxAutoLockRenewalDurationInMs", "closeTimeoutInMs"] as const) {
    requireDuration(name, resolved[name], 0, Number.POSITIVE_INFINITY);
  }
  return {
    maxConcurrentCalls,
    prefetchCount,
    isAutoCompleting: resolved.autoCompleteMessages,
    renewForMs: resolved.maxAutoLockRenewalDurationInMs,
    closeTimeoutMs: resolved.closeTimeoutInMs,
    retry: resolveRetry(options.retry, subscribed),
    keeper: undefined,
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
  { receiver, retrySender: sender }: SubscribedReceiver,
): RetrySettings | undefined {
  if (options === undefined) return undefined;
  const resolved = resolveRetryOptions(options);
  if (sender !== undefined) return { ...resolved, sender };
  throw new WaybillError(
    "configuration-invalid",
    "retry schedules a copy, which only works on a queue without sessions, received in peek-lock mode: the copy would reach every " +
      "subscription of a topic, leave its place in a session, or bring a dead letter back.",
    { entityPath: receiver.entityPath },
  );
}
