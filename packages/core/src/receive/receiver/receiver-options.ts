import type { OptionNames } from "@waybill/foundation";
import type { CallOptions, ReceiveMode, SubQueue } from "../../contracts/transport.js";
import type { ApplicationPropertyValue, UndecodedMessage } from "../../message/message.js";

/** Options of a receiver. */
export interface ReceiverOptions {
  /** Default: `"peekLock"`. */
  readonly receiveMode?: ReceiveMode | undefined;
  /** Receives from the dead-letter queue or the transfer dead-letter queue of the entity. Default: from the entity itself. */
  readonly subQueueType?: SubQueue | undefined;
  /** How long the locks of received messages, or of the session, are renewed, in milliseconds; 0 disables renewal. Default: 300 000. */
  readonly maxAutoLockRenewalDurationInMs?: number | undefined;
}

/** Options of `receiveMessages`. */
export interface ReceiveMessagesOptions extends CallOptions {
  /** How long to wait for the first message, in milliseconds. Default: 60 000. */
  readonly maxWaitTimeInMs?: number;
}

/** Options of `peekMessages`. */
export interface PeekMessagesOptions extends CallOptions {
  /** The sequence number to start from. Default: after the last message that this receiver peeked, at first the beginning. */
  readonly fromSequenceNumber?: bigint;
}

/** Why a message is dead-lettered; all other properties are application properties to add or overwrite. */
export interface DeadLetterMessageOptions {
  /** At most 4096 characters. Default: none. */
  readonly deadLetterReason?: string;
  /** At most 4096 characters. Default: none. */
  readonly deadLetterErrorDescription?: string;
  readonly [applicationProperty: string]: ApplicationPropertyValue | undefined;
}

/** What happens to an undeserializable message of a session: `"deadLetter"` dead-letters it, `"block"` stops the session at it. */
export type UndeserializableAction = "deadLetter" | "block";

export const undeserializableActions: readonly UndeserializableAction[] = ["deadLetter", "block"];

/** Options of accepting a session and of its receiver. */
export interface AcceptSessionReceiverOptions<Mode extends ReceiveMode = ReceiveMode>
  extends Omit<ReceiverOptions, "subQueueType" | "receiveMode">,
    CallOptions {
  /** Default: `"peekLock"`. */
  readonly receiveMode?: Mode | undefined;
  /** How long to wait for a session, in milliseconds. Default: 60 000. */
  readonly maxWaitTimeInMs?: number | undefined;
  /**
   * What happens to an undeserializable message: `"deadLetter"` dead-letters it, `"block"` stops the session at it: `receiveMessages`
   * rejects with `deserialization-failed`, subscriptions stop, and the message stays in the session. Default: `"deadLetter"`.
   */
  readonly undeserializableAction?: UndeserializableAction | undefined;
}

/** The type of undecoded messages that a session may return: none in peek-lock mode, where they are dead-lettered. */
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
  ...defaultReceiverOptions,
  subQueueType: true,
};

/** The names of {@link AcceptSessionReceiverOptions}. */
export const acceptSessionOptionNames: OptionNames<AcceptSessionReceiverOptions> = {
  ...defaultReceiverOptions,
  maxWaitTimeInMs: true,
  undeserializableAction: true,
  abortSignal: true,
};

/** What replaces receiver options of `@azure/service-bus`. */
export const optionsOfTheSdk: Readonly<Record<string, string>> = Object.freeze({
  skipParsingBodyAsJson: "the serializers read every body, and rawBody has its bytes; leave it out",
  skipConvertingDate: "the serializers decide what a date is; leave it out",
  identifier: "give it to the ServiceBusClient; leave it out",
});
