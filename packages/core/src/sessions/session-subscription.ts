import { afterwards } from "@waybill/foundation";
import { loadedLater } from "../contracts/loaded-later.js";
import type { Awaitable } from "../contracts/serializer.js";
import type { UndecodedMessage } from "../message/message.js";
import {
  StartingSubscription,
  type StartingSubscriptionSettings,
} from "../receive/processing/starting-subscription.js";
import { requireHandlers, requirePrefetchable } from "../receive/processing/subscribe-settings.js";
import type { SessionProcessorSettings } from "./session-processor.js";
import {
  resolveSubscribeSessionsOptions,
  type SessionMessageHandlers,
  type SubscribeSessionsOptions,
} from "./session-processor-options.js";

export const sessionProcessors = loadedLater("sessions", () => import("./session-processor.js"));

/** What the client provides to the subscription of sessions. */
export interface SessionSubscriptionSettings
  extends Pick<StartingSubscriptionSettings, "entityPath" | "scheduler" | "backoff" | "onClosed"> {
  /** Loads the code of receivers, if that was not done before. */
  readonly open: () => Awaitable<SessionProcessorSettings>;
}

/** The subscription of `subscribeSessions`. Checks handlers and options; throws `TypeError`. */
export function subscribeToSessions(
  handlers: SessionMessageHandlers<unknown, UndecodedMessage>,
  given: SubscribeSessionsOptions,
  { open, ...settings }: SessionSubscriptionSettings,
): StartingSubscription {
  requireHandlers(handlers);
  const options = resolveSubscribeSessionsOptions(given);
  requirePrefetchable(options.prefetchCount, options.receiveMode, settings.entityPath);
  return new StartingSubscription({
    ...settings,
    load: () =>
      afterwards(sessionProcessors(), ({ SessionProcessor }) =>
        afterwards(open(), (opened) => () => new SessionProcessor(handlers, options, opened)),
      ),
    handlers,
    errorSource: "acceptSession",
    closeTimeoutInMs: options.closeTimeoutInMs,
    abortSignal: given.abortSignal,
  });
}
