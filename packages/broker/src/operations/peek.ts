import type { MessageStore } from "../entities/message-store.js";
import { partitionOf } from "../entities/numbering.js";
import type { Session } from "../entities/session.js";
import { type BrokerReceivedMessage, peekedMessage } from "../messages/received-message.js";
import type { StoredMessage } from "../messages/stored-message.js";
import { stride } from "../timing/next-turn.js";

/** Which messages to peek at. */
export interface PeekOptions {
  /** The first sequence number; default: from the start. */
  readonly fromSequenceNumber?: bigint | undefined;
  /** Only messages of this session; default: of all. */
  readonly sessionId?: string | undefined;
  /** Stops with the message that brings the total size to this limit; default: none. */
  readonly maxSizeInBytes?: number | undefined;
}

/**
 * Reads up to `maxCount` messages in sequence order, whatever their state, without locking them. Can be interrupted: messages added or
 * removed meanwhile may or may not be seen.
 */
export class Peek {
  readonly messages: BrokerReceivedMessage[] = [];
  readonly #store: MessageStore;
  readonly #maxCount: number;
  readonly #sessionId: string | undefined;
  #bytesLeft: number;
  #next: number;
  /** Messages of other sessions that were skipped. */
  #skipped = 0;

  constructor(store: MessageStore, maxCount: number, options: PeekOptions) {
    this.#store = store;
    this.#maxCount = maxCount;
    this.#sessionId = options.sessionId;
    this.#bytesLeft = options.maxSizeInBytes ?? Number.POSITIVE_INFINITY;
    const from = Number(options.fromSequenceNumber ?? 0n);
    const session = this.#session;
    this.#next = session ? startIn(session, from) : from;
  }

  /** Reads some more messages; returns `true` when finished. */
  proceed(): boolean {
    const session = this.#session;
    if (session === null) return true;
    let looked = 0;
    for (const message of this.#store.index.read(this.#next)) {
      if (this.#isFull) return true;
      if (looked++ === stride) return false;
      this.#next = message.sequence + 1;
      if (this.#isWanted(message, session)) this.#take(message);
      else if (
        session !== undefined &&
        ++this.#skipped > session.messageCount &&
        session.messageCount <= stride
      ) {
        this.#takeRest(session);
        return true;
      }
    }
    return true;
  }

  /** The session to read; `undefined` if there are no sessions, `null` if it has no messages. */
  get #session(): Session | undefined | null {
    const { sessions } = this.#store;
    if (this.#sessionId === undefined || sessions === undefined) return undefined;
    return sessions.find(this.#sessionId) ?? null;
  }

  get #isFull(): boolean {
    return this.messages.length >= this.#maxCount || this.#bytesLeft <= 0;
  }

  #isWanted(message: StoredMessage, session: Session | undefined): boolean {
    if (session !== undefined) return message.session === session;
    return this.#sessionId === undefined || message.content.sessionId === this.#sessionId;
  }

  /** Reads the rest directly from the session's own messages, once more messages of other sessions were skipped than the session has. */
  #takeRest(session: Session): void {
    const rest = Array.from(session.messages()).filter(({ sequence }) => sequence >= this.#next);
    for (const message of rest.sort((a, b) => a.sequence - b.sequence)) {
      if (this.#isFull) return;
      this.#take(message);
    }
  }

  #take(message: StoredMessage): void {
    this.messages.push(peekedMessage(message));
    this.#bytesLeft -= message.content.sizeInBytes;
  }
}

/**
 * Where to start in a session. Its messages are in one partition, but SDKs continue after the last number of any session, which may be of a
 * later partition: then it starts from the beginning.
 */
function startIn(session: Session, from: number): number {
  const [first] = session.messages();
  return first !== undefined && partitionOf(from) > partitionOf(first.sequence) ? 0 : from;
}
