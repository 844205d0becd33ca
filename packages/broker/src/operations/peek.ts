import type { MessageStore } from "../entities/message-store.js";
import { partitionOf } from "../entities/sequence-number.js";
import type { Session } from "../entities/session.js";
import { peekedMessage, type ReceivedMessage } from "../messages/received-message.js";
import type { StoredMessage } from "../messages/stored-message.js";

/** Which messages to look at. */
export interface PeekOptions {
  /** The first sequence number to look at; default: from the start. */
  readonly fromSequenceNumber?: bigint | undefined;
  /** Only messages of this session. */
  readonly sessionId?: string | undefined;
}

/** Reads up to `maxCount` messages in sequence order, whatever their state, without locking them. */
export function peek(store: MessageStore, maxCount: number, options: PeekOptions): ReceivedMessage[] {
  const { sessionId } = options;
  const from = Number(options.fromSequenceNumber ?? 0n);
  if (sessionId === undefined) return take(store.index.from(from), maxCount);
  if (store.sessions === undefined) return take(ofSessionId(store.index.from(from), sessionId), maxCount);
  const session = store.sessions.find(sessionId);
  return session === undefined ? [] : take(ofSession(session, startIn(session, from)), maxCount);
}

/**
 * Where to start in a session. It lies in one partition, and a number of a later one says nothing of it: SDKs go on behind the last number
 * that any of their receivers saw.
 */
function startIn(session: Session, from: number): number {
  const [first] = session.messages();
  return first !== undefined && partitionOf(from) > partitionOf(first.sequence) ? 0 : from;
}

function take(messages: Iterable<StoredMessage>, maxCount: number): ReceivedMessage[] {
  const peeked: ReceivedMessage[] = [];
  for (const message of messages) {
    if (peeked.length >= maxCount) break;
    peeked.push(peekedMessage(message));
  }
  return peeked;
}

function* ofSessionId(messages: Iterable<StoredMessage>, sessionId: string): Iterable<StoredMessage> {
  for (const message of messages) if (message.content.sessionId === sessionId) yield message;
}

/**
 * A session's messages from a sequence number on. Where they lie close together the store's order finds them at once, however many the
 * session has; they are gathered from everywhere when there are more of others in between than of its own altogether.
 */
function* ofSession(session: Session, from: number): Iterable<StoredMessage> {
  let next = from;
  let strangers = 0;
  for (const message of session.store.index.from(from)) {
    if (message.session === session) {
      yield message;
      next = message.sequence + 1;
    } else if (++strangers > session.messageCount) {
      const others = Array.from(session.messages()).filter(({ sequence }) => sequence >= next);
      yield* others.sort((a, b) => a.sequence - b.sequence);
      return;
    }
  }
}
