import { Page } from "../collections/page.js";
import type { MessageStore } from "../entities/message-store.js";
import type { MessageContent } from "./message-content.js";
import { StoredMessage } from "./stored-message.js";

/** Numbers per message: its sequence number, time and body id, each less the first message's, and three sizes. */
const width = 6;

/** Untouched messages of one store as numbers; what else they have is kept once for all that have the same. */
class PackedMessages extends Page<StoredMessage> {
  readonly #store: MessageStore;
  /** Of the first message, like `first`. */
  readonly #enqueuedAtMs: number;
  readonly #bodyId: number;
  readonly #numbers: Int32Array;
  readonly #messageIds: readonly MessageContent["messageId"][];
  /** For each message a content like its own, apart from id and numbers; one element if it is the same for all. */
  readonly #alike: readonly MessageContent[];

  constructor(messages: readonly StoredMessage[], start: StoredMessage, numbers: Int32Array) {
    super(start.sequence, start.sequence + (numbers[numbers.length - width] as number), messages.length);
    this.#store = start.store;
    this.#enqueuedAtMs = start.enqueuedAtMs;
    this.#bodyId = start.content.bodyId;
    this.#numbers = numbers;
    this.#messageIds = messages.map(({ content }) => content.messageId);
    this.#alike = groupAlike(messages, start.content);
  }

  protected override unpack(): StoredMessage[] {
    return this.#messageIds.map((messageId, index) => this.#messageAt(index, messageId));
  }

  #messageAt(index: number, messageId: MessageContent["messageId"]): StoredMessage {
    const numbers = this.#numbers;
    const at = index * width;
    const alike = this.#alike[this.#alike.length === 1 ? 0 : index] as MessageContent;
    const content: MessageContent = {
      messageId,
      contentType: alike.contentType,
      subject: alike.subject,
      sessionId: alike.sessionId,
      partitionKey: alike.partitionKey,
      timeToLiveMs: alike.timeToLiveMs,
      scheduledEnqueueTimeMs: alike.scheduledEnqueueTimeMs,
      rare: alike.rare,
      applicationProperties: alike.applicationProperties,
      section: alike.section,
      bodyId: this.#bodyId + (numbers[at + 2] as number),
      isWire: alike.isWire,
      dataOffset: numbers[at + 3] as number,
      dataLength: numbers[at + 4] as number,
      sizeInBytes: numbers[at + 5] as number,
      hasChangedProperties: alike.hasChangedProperties,
    };
    const carried = {
      content,
      propertyChanges: undefined,
      enqueuedSequence: undefined,
      wasScheduled: false,
      hops: 0,
      deadLetterSource: undefined,
    };
    const sequence = this.first + (numbers[at] as number);
    const enqueuedAtMs = this.#enqueuedAtMs + (numbers[at + 1] as number);
    return new StoredMessage(this.#store, carried, sequence, enqueuedAtMs, Number.POSITIVE_INFINITY);
  }
}

/**
 * Packs messages of one store in the order of their sequence numbers; `undefined` if a page cannot keep all of them. Nothing may refer to
 * the messages afterwards to change them: they are no longer those of the store.
 */
export function packMessages(messages: readonly StoredMessage[]): Page<StoredMessage> | undefined {
  const [start] = messages;
  if (!start?.isUntouched) return undefined;
  const numbers = new Int32Array(messages.length * width);
  let at = 0;
  for (const message of messages) {
    const { content } = message;
    const fromStart = message.sequence - start.sequence;
    const fromTime = message.enqueuedAtMs - start.enqueuedAtMs;
    const fromBody = content.bodyId - start.content.bodyId;
    const fits = isInt32(fromStart) && isInt32(fromTime) && isInt32(fromBody);
    if (!message.isUntouched || !fits) return undefined;
    numbers[at] = fromStart;
    numbers[at + 1] = fromTime;
    numbers[at + 2] = fromBody;
    numbers[at + 3] = content.dataOffset;
    numbers[at + 4] = content.dataLength;
    numbers[at + 5] = content.sizeInBytes;
    at += width;
  }
  return new PackedMessages(messages, start, numbers);
}

function isInt32(value: number): boolean {
  return value === (value | 0);
}

/** For each message the first of those contents before it in a row that are alike; one element if all are. */
function groupAlike(messages: readonly StoredMessage[], first: MessageContent): readonly MessageContent[] {
  if (messages.every(({ content }) => isAlike(content, first))) return [first];
  let latest = first;
  return messages.map(({ content }) => {
    if (!isAlike(content, latest)) latest = content;
    return latest;
  });
}

/** Whether two contents differ at most in their ids and numbers. */
function isAlike(one: MessageContent, other: MessageContent): boolean {
  return (
    one.contentType === other.contentType &&
    one.subject === other.subject &&
    one.sessionId === other.sessionId &&
    one.partitionKey === other.partitionKey &&
    one.timeToLiveMs === other.timeToLiveMs &&
    one.scheduledEnqueueTimeMs === other.scheduledEnqueueTimeMs &&
    one.rare === other.rare &&
    one.applicationProperties === other.applicationProperties &&
    one.section === other.section &&
    one.isWire === other.isWire &&
    one.hasChangedProperties === other.hasChangedProperties
  );
}
