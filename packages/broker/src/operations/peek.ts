import type { MessageStore } from "../entities/message-store.js";
import { peekedMessage, type ReceivedMessage } from "../messages/received-message.js";

/** Which messages to look at. */
export interface PeekOptions {
  /** The first sequence number to look at; default: from the start. */
  readonly fromSequenceNumber?: bigint | undefined;
  /** Only messages of this session. */
  readonly sessionId?: string | undefined;
}

/** Reads up to `maxCount` messages in sequence order, whatever their state, without locking them. */
export function peek(store: MessageStore, maxCount: number, options: PeekOptions): ReceivedMessage[] {
  const peeked: ReceivedMessage[] = [];
  // Most sessions that are looked into have been worked off: no need to look through everybody else's messages.
  const { sessionId } = options;
  if (
    sessionId !== undefined &&
    store.sessions !== undefined &&
    !store.sessions.find(sessionId)?.messageCount
  ) {
    return peeked;
  }
  const from = Number(options.fromSequenceNumber ?? 0n);
  for (const message of store.index.from(from)) {
    if (peeked.length >= maxCount) break;
    if (sessionId !== undefined && message.content.sessionId !== sessionId) continue;
    peeked.push(peekedMessage(message));
  }
  return peeked;
}
