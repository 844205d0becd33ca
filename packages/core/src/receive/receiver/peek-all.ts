import { afterPage } from "../../contracts/after-page.js";
import type { CallOptions } from "../../contracts/transport.js";
import type { MessageState, PeekedMessage } from "../../message/message.js";
import type { PeekMessagesOptions } from "./receiver-options.js";

/** Which messages to peek. */
export interface PeekAllOptions extends CallOptions {
  /** Only messages in this state, for example `"scheduled"` or `"deferred"`. Default: all. */
  readonly state?: MessageState | undefined;
  /** The sequence number to start from. Default: the beginning. */
  readonly fromSequenceNumber?: bigint | undefined;
}

/** A receiver, as far as `peekAll` uses it. */
export interface Peekable {
  peekMessages<Body>(maxMessageCount: number, options: PeekMessagesOptions): Promise<PeekedMessage<Body>[]>;
}

const pageSize = 100;

/**
 * Peeks all messages of an entity or session without locking them, for example to find scheduled and deferred messages whose sequence
 * numbers were lost. The iteration throws the errors of `peekMessages`.
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
    from = afterPage(last, from);
  }
}
