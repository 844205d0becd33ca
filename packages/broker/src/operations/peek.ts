import type { MessageStore } from "../entities/message-store.js";
import { partitionOf } from "../entities/sequence-number.js";
import type { Session } from "../entities/session.js";
import { peekedMessage, type ReceivedMessage } from "../messages/received-message.js";
import type { StoredMessage } from "../messages/stored-message.js";
import { STRIDE } from "../timing/next-turn.js";

/** Which messages to look at. */
export interface PeekOptions {
  /** The first sequence number to look at; default: from the start. */
  readonly fromSequenceNumber?: bigint | undefined;
  /** Only messages of this session. */
  readonly sessionId?: string | undefined;
  /** Ends with the message that brings the sizes of all to so many bytes; default: none. */
  readonly maxSizeInBytes?: number | undefined;
}

/**
 * Reads up to `maxCount` messages in sequence order, whatever their state, without locking them. It may be interrupted: messages that come or
 * go meanwhile are seen or not.
 */
export class Peek {
  readonly messages: ReceivedMessage[] = [];
  readonly #store: MessageStore;
  readonly #maxCount: number;
  readonly #sessionId: string | undefined;
  #bytesLeft: number;
  #next: number;
  /** Messages of others that were passed. */
  #strangers = 0;

  constructor(store: MessageStore, maxCount: number, options: PeekOptions) {
    this.#store = store;
    this.#maxCount = maxCount;
    this.#sessionId = options.sessionId;
    this.#bytesLeft = options.maxSizeInBytes ?? Number.POSITIVE_INFINITY;
    const from = Number(options.fromSequenceNumber ?? 0n);
    const session = this.#session;
    this.#next = session ? startIn(session, from) : from;
  }

  /** Looks at some more messages; `true` when all are found. */
  goOn(): boolean {
    const session = this.#session;
    if (session === null) return true;
    let looked = 0;
    for (const message of this.#store.index.from(this.#next)) {
      if (this.#isFull) return true;
      if (looked++ === STRIDE) return false;
      this.#next = message.sequence + 1;
      if (this.#isWanted(message, session)) this.#take(message);
      else if (
        session !== undefined &&
        ++this.#strangers > session.messageCount &&
        session.messageCount <= STRIDE
      ) {
        this.#gather(session);
        return true;
      }
    }
    return true;
  }

  /** The session to look for; `undefined` where there are none, `null` when it has no messages. */
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

  /** A session whose messages lie far apart is asked for them, when there are more of others in between than it has altogether. */
  #gather(session: Session): void {
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
 * Where to start in a session. It lies in one partition, and a number of a later one says nothing of it: SDKs go on behind the last number
 * that any of their receivers saw.
 */
function startIn(session: Session, from: number): number {
  const [first] = session.messages();
  return first !== undefined && partitionOf(from) > partitionOf(first.sequence) ? 0 : from;
}
