import type { CallOptions } from "../contracts/transport.js";
import { WaybillError } from "../errors/error.js";
import type { MessageState, PeekedMessage } from "../message/message.js";
import type { PeekMessagesOptions } from "./receiver.js";

/** Which messages to look through. */
export interface PeekAllOptions extends CallOptions {
  /** Only messages in this state, for example those that are `"scheduled"` or `"deferred"`. Default: all. */
  readonly state?: MessageState | undefined;
  /** Where to start. Default: the beginning. */
  readonly fromSequenceNumber?: bigint | undefined;
}

/** What messages are peeked from: a receiver. */
export interface Peekable {
  peekMessages<Body>(maxMessageCount: number, options: PeekMessagesOptions): Promise<PeekedMessage<Body>[]>;
}

const pageSize = 100;

/**
 * Looks through an entity, or a session, from one end to the other without locking anything. It is how scheduled and deferred messages
 * are found whose sequence numbers nobody kept.
 */
export async function* peekAll<Body = unknown>(
  receiver: Peekable,
  { state, fromSequenceNumber = 0n, abortSignal }: PeekAllOptions = {},
): AsyncGenerator<PeekedMessage<Body>, void, undefined> {
  for (let from = fromSequenceNumber; ; ) {
    const messages = await receiver.peekMessages<Body>(pageSize, { fromSequenceNumber: from, abortSignal });
    for (const message of messages) if (state === undefined || message.state === state) yield message;
    const last = messages.at(-1);
    if (last === undefined) return;
    if (last.sequenceNumber < from) {
      throw new WaybillError("internal", "The broker peeked messages before the number that was asked for.");
    }
    from = last.sequenceNumber + 1n;
  }
}
