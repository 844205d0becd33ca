import type {
  EntityAddress,
  ReceiverEvents,
  Transport,
  TransportSessionReceiver,
} from "../contracts/transport.js";
import { LockRenewal } from "../delivery/lock-renewal.js";
import { onAbort } from "../foundation/abort-signals.js";
import type { UndecodedMessage } from "../message/message.js";
import { errorReporter } from "../processing/error-reporter.js";
import {
  requireHandlers,
  requirePrefetchable,
  type SubscribeDependencies,
} from "../processing/subscribe-settings.js";
import { SessionProcessor } from "./session-processor.js";
import {
  resolveSubscribeSessionsOptions,
  type SessionMessageHandlers,
  type SubscribeSessionsOptions,
} from "./session-processor-options.js";
import type { SessionReceiverSettings } from "./session-receiver.js";
import { SessionRun } from "./session-run.js";

/** What the client provides to a session processor. */
export interface SessionProcessorDependencies
  extends Pick<SubscribeDependencies, "entityPath" | "scheduler" | "breaker" | "backoff"> {
  readonly transport: Transport;
  readonly events: ReceiverEvents;
  readonly address: EntityAddress;
  /** Receiver settings with lock renewal for `renewForMs`. */
  readonly settingsOf: (session: TransportSessionReceiver, renewForMs: number) => SessionReceiverSettings;
  readonly onClosed: (processor: SessionProcessor) => void;
}

/** Checks handlers and options and starts to process sessions. */
export function startSessionProcessor(
  handlers: SessionMessageHandlers<unknown, UndecodedMessage>,
  given: SubscribeSessionsOptions,
  dependencies: SessionProcessorDependencies,
): SessionProcessor {
  requireHandlers(handlers);
  const options = resolveSubscribeSessionsOptions(given);
  const { receiveMode, maxAutoLockRenewalDurationInMs: renewForMs } = options;
  const isBlocking = options.undeserializableAction === "block";
  const { transport, address, scheduler, entityPath, breaker, backoff } = dependencies;
  requirePrefetchable(options.prefetchCount, receiveMode, entityPath);
  // One timer for all of its sessions.
  const sessionRenewal = new LockRenewal(scheduler);
  let stopListening = () => {};
  const processor = new SessionProcessor({
    scheduler,
    options,
    report: errorReporter(handlers, entityPath, undefined),
    breaker,
    backoff,
    accept: (maxWaitTimeInMs, signal) =>
      transport.acceptSession(address, undefined, {
        receiveMode,
        maxWaitTimeInMs,
        abortSignal: signal,
        ...dependencies.events,
      }),
    open(session, events) {
      const settings = dependencies.settingsOf(session, renewForMs);
      const receiver = { ...settings, isSession: true, isBlocking, sessionRenewal };
      return new SessionRun({ receiver, handlers, options, breaker, events });
    },
    onClosed(closed) {
      sessionRenewal.stop();
      stopListening();
      dependencies.onClosed(closed);
    },
  });
  // Errors of this close are ignored here; `client.close()` reports them.
  stopListening = onAbort(given.abortSignal, () => void processor.close().catch(() => {}));
  return processor;
}
