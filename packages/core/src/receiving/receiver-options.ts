import type { CallOptions, ReceiveMode, SubQueue } from "../contracts/transport.js";
import type { OptionNames } from "../foundation/known-options.js";
import type { UndecodedMessage } from "../message/message.js";
import type { UndeserializableAction } from "./undeserializable-action.js";

/** How a receiver receives. */
export interface ReceiverOptions {
  /** Default: `"peekLock"`. */
  readonly receiveMode?: ReceiveMode | undefined;
  /** Receives from the dead-letter queue or the transfer-dead-letter queue of the entity. */
  readonly subQueueType?: SubQueue | undefined;
  /** How long the locks of received messages, or of the session, are renewed, in milliseconds; 0 renews none. Default: 300 000. */
  readonly maxAutoLockRenewalDurationInMs?: number | undefined;
}

/** How a session is accepted and received from. */
export interface AcceptSessionReceiverOptions<Mode extends ReceiveMode = ReceiveMode>
  extends Omit<ReceiverOptions, "subQueueType" | "receiveMode">,
    CallOptions {
  /** Default: `"peekLock"`. */
  readonly receiveMode?: Mode | undefined;
  /** How long to wait for a session, in milliseconds. Default: 60 000. */
  readonly maxWaitTimeInMs?: number | undefined;
  /**
   * What happens to an undeserializable message: it is dead-lettered, or the session is blocked: `receiveMessages` rejects with
   * `deserialization-failed`, subscriptions stop, and the message stays where it is. Default: `"deadLetter"`.
   */
  readonly undeserializableAction?: UndeserializableAction | undefined;
}

/** What comes undecoded beside the decoded messages of a session: nothing, as long as it can be dead-lettered. */
export type UndecodedIn<Mode extends ReceiveMode> = Mode extends "receiveAndDelete"
  ? UndecodedMessage
  : never;

/** The defaults of {@link ReceiverOptions}. */
export const defaultReceiverOptions = Object.freeze({
  receiveMode: "peekLock",
  maxAutoLockRenewalDurationInMs: 300_000,
} as const);

/** The names of {@link ReceiverOptions}. */
export const receiverOptionNames: OptionNames<ReceiverOptions> = {
  receiveMode: true,
  subQueueType: true,
  maxAutoLockRenewalDurationInMs: true,
};

/** The names of {@link AcceptSessionReceiverOptions}. */
export const acceptSessionOptionNames: OptionNames<AcceptSessionReceiverOptions> = {
  receiveMode: true,
  maxAutoLockRenewalDurationInMs: true,
  maxWaitTimeInMs: true,
  undeserializableAction: true,
  abortSignal: true,
};

/** What takes the place of options that the receivers of `@azure/service-bus` have. */
export const optionsOfTheSdk: Readonly<Record<string, string>> = Object.freeze({
  skipParsingBodyAsJson: "the serializers read every body, and rawBody has its bytes; leave it out",
  skipConvertingDate: "the serializers decide what a date is; leave it out",
  identifier: "give it to the ServiceBusClient; leave it out",
});
