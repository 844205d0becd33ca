import type { ResolvedQueueOptions, ResolvedSubscriptionOptions } from "../../src/entities/entity-options.js";
import type { CompiledRule } from "../../src/rules/rule.js";

type AllOptions = ResolvedQueueOptions & ResolvedSubscriptionOptions;
/** The properties of an entity in the model; durations in ms. */
export type NaiveOptions = Pick<AllOptions, keyof typeof naiveDefaults>;

/** Azure's defaults. */
const naiveDefaults = {
  lockDurationMs: 60_000,
  maxDeliveryCount: 10,
  defaultMessageTimeToLiveMs: Number.POSITIVE_INFINITY,
  deadLetteringOnMessageExpiration: false,
  requiresSession: false,
  requiresDuplicateDetection: false,
  duplicateDetectionHistoryTimeWindowMs: 600_000,
  forwardTo: undefined,
  forwardDeadLetteredMessagesTo: undefined,
  deadLetteringOnFilterEvaluationExceptions: true,
  enablePartitioning: false,
  autoDeleteOnIdleMs: Number.POSITIVE_INFINITY,
  maxSizeInMegabytes: 1024,
  status: "Active",
} satisfies Partial<AllOptions>;

export type NaiveProperties = Readonly<Record<string, string | number>>;

/** A message that is being sent. */
export interface NaiveContent {
  readonly messageId: string;
  readonly sessionId: string | undefined;
  readonly partitionKey: string | undefined;
  readonly subject: string | undefined;
  readonly timeToLiveMs: number;
  readonly scheduledAtMs: number | undefined;
  readonly body: string;
  readonly properties: NaiveProperties;
}

/** Everything that a receiver or a peek can observe of a message. */
export interface MessageView {
  readonly sequence: number;
  readonly enqueuedSequence: number;
  readonly enqueuedAtMs: number;
  readonly expiresAtMs: number;
  readonly lockedUntilMs: number | undefined;
  readonly state: string;
  readonly deliveryCount: number;
  readonly deadLetterSource: string | undefined;
  readonly messageId: string;
  readonly sessionId: string | undefined;
  readonly subject: string | undefined;
  readonly body: string;
  readonly properties: NaiveProperties;
}

/** An error with the broker's error code. */
export class NaiveRefusal extends Error {
  readonly code: string;

  constructor(code: string) {
    super(code);
    this.code = code;
  }
}

/** A receiver's lock; it is lost as soon as the message has another lock or none. */
export interface NaiveReceipt {
  readonly message: NaiveMessage;
  readonly lock: NaiveLock | undefined;
  /** The session through which it was received. */
  readonly hold: NaiveSessionLock | undefined;
  /** The message as it was delivered. */
  readonly view: MessageView;
}

/** A receiver's lock on a session. */
export interface NaiveSessionLock {
  readonly session: NaiveSession;
  isLost: boolean;
  timer: NaiveTimer;
}

export type Settlement = "complete" | "abandon" | "defer" | "deadLetter";
export type Mode = "peekLock" | "receiveAndDelete";

/** A pending receive call, or a grant of credit to a consumer. */
export interface NaiveWait {
  readonly store: NaiveStore;
  readonly hold: NaiveSessionLock | undefined;
  readonly mode: Mode;
  readonly timer: NaiveTimer | undefined;
  /** The consumer of the grant; undefined for a receive call. */
  readonly consumer: NaiveConsumer | undefined;
  count: number;
  /** The result of a receive call; undefined while it is pending. */
  result: readonly NaiveReceipt[] | NaiveRefusal | undefined;
}

/** Where messages are matched with pending receivers: a store, or one of its sessions. */
export interface NaiveLane {
  readonly store: NaiveStore;
  readonly sessionId: string | undefined;
}

/** A consumer, which gets messages without calls. */
export interface NaiveConsumer {
  readonly store: NaiveStore;
  readonly mode: Mode;
  /** The messages since the last observation. */
  inbox: NaiveReceipt[];
  isClosed: boolean;
  /** The reason for which the broker closed it. */
  refusal: NaiveRefusal | undefined;
}

/** Sends and settlements that are executed together or not at all. */
export interface NaiveTransaction {
  state: "open" | "ended" | "timed-out";
  steps: NaiveStep[];
  /** The partition key of the messages for each partitioned entity. */
  readonly keys: Map<NaiveEntity, string>;
  timer: NaiveTimer | undefined;
}

export type NaiveStep =
  | {
      readonly entity: NaiveEntity;
      readonly content: NaiveContent;
      readonly onward?: string | undefined;
      /** The sequence number that a scheduled message already has. */
      readonly sequence?: number;
    }
  | { readonly receipt: NaiveReceipt; readonly how: Settlement; readonly changes: NaiveProperties };

/** A pending call for the next unlocked session. */
export interface NaiveSessionWait {
  readonly store: NaiveStore;
  readonly timer: NaiveTimer | undefined;
  /** Its result; undefined while it is pending. */
  result: NaiveSessionLock | NaiveRefusal | undefined;
}

export interface NaiveTimer {
  readonly dueMs: number;
  /** Timers of the same time fire in the order in which they were set. */
  readonly order: number;
}

export interface NaiveLock {
  readonly session: NaiveSessionLock | undefined;
}

export interface NaiveMessage {
  readonly store: NaiveStore;
  readonly content: NaiveContent;
  readonly sequence: number;
  /** Its position among the messages of its entity. */
  arrival: number;
  readonly enqueuedSequence: number;
  readonly enqueuedAtMs: number;
  readonly expiresAtMs: number;
  readonly hops: number;
  readonly deadLetterSource: string | undefined;
  properties: NaiveProperties;
  state: "active" | "deferred" | "scheduled";
  /** Whether it was a scheduled message. */
  wasScheduled: boolean;
  deliveryCount: number;
  lock: NaiveLock | undefined;
  timer: NaiveTimer | undefined;
}

export interface NaiveSession {
  readonly store: NaiveStore;
  readonly id: string;
  lock: NaiveSessionLock | undefined;
  state: string | null;
}

export interface NaiveStore {
  readonly entity: NaiveEntity;
  readonly kind: "main" | "dead-letter" | "transfer-dead-letter";
  messages: NaiveMessage[];
  sessions: NaiveSession[];
}

export interface NaiveEntity {
  readonly kind: "queue" | "topic" | "subscription";
  readonly path: string;
  options: NaiveOptions;
  readonly main: NaiveStore;
  readonly deadLetter: NaiveStore;
  readonly transferDeadLetter: NaiveStore;
  readonly topic: string | undefined;
  rules: CompiledRule[];
  /** The next sequence number of each partition; without partitions, that of partition 0. */
  readonly next: Map<number, number>;
  /** The number of messages without a key so far. */
  turns: number;
  /** The number of messages so far. */
  arrivals: number;
  duplicates: { readonly key: string; readonly forgottenAtMs: number }[];
  accessedAtMs: number;
  idleTimer: NaiveTimer | undefined;
  /** Whether it behaves as if its quota were used up. */
  isFilled: boolean;
}

export interface Transit {
  readonly content: NaiveContent;
  readonly properties: NaiveProperties;
  readonly enqueuedSequence: number | undefined;
  /** The sequence number that the next entity has already assigned. */
  readonly sequence: number | undefined;
  readonly wasScheduled: boolean;
  /** Its time to live from its next arrival, unless an entity limits it. */
  readonly lifeMs: number;
  readonly hops: number;
  readonly deadLetterSource: string | undefined;
}

/** Creates an entity without messages. */
export function makeEntity(
  kind: NaiveEntity["kind"],
  path: string,
  topic: string | undefined,
  options: Partial<NaiveOptions>,
  rules: CompiledRule[],
): NaiveEntity {
  const duplicates: NaiveEntity["duplicates"] = [];
  const partial = {
    kind,
    path,
    topic,
    options: { ...naiveDefaults, ...options },
    rules,
    next: new Map<number, number>(),
    turns: 0,
    arrivals: 0,
    duplicates,
    accessedAtMs: 0,
    idleTimer: undefined,
    isFilled: false,
  };
  const entity = partial as { -readonly [Key in keyof NaiveEntity]: NaiveEntity[Key] };
  entity.main = { entity, kind: "main", messages: [], sessions: [] };
  entity.deadLetter = { entity, kind: "dead-letter", messages: [], sessions: [] };
  entity.transferDeadLetter = { entity, kind: "transfer-dead-letter", messages: [], sessions: [] };
  return entity;
}

/** A message before its first entity. */
export function fresh(content: NaiveContent): Transit {
  const { properties, timeToLiveMs: lifeMs } = content;
  return {
    content,
    properties,
    enqueuedSequence: undefined,
    sequence: undefined,
    wasScheduled: false,
    lifeMs,
    hops: 0,
    deadLetterSource: undefined,
  };
}

/** Whether messages are received through sessions. */
export function isSessionful(store: NaiveStore): boolean {
  return store.kind === "main" && store.entity.options.requiresSession;
}

/** The partition is in the upper bits of a sequence number. */
export const partitionRange = 2 ** 48;

/** Messages in the order of their arrival. */
export function byArrival(messages: readonly NaiveMessage[]): NaiveMessage[] {
  return [...messages].sort((a, b) => a.arrival - b.arrival);
}

/** The partition of a key: FNV-1a over its characters, one of 16. */
export function partitionOf(key: string): number {
  let hash = 2_166_136_261n;
  for (const character of key) hash = ((hash ^ BigInt(character.charCodeAt(0))) * 16_777_619n) % 2n ** 32n;
  return Number(hash % 16n);
}

/** The stores of an entity. */
export function storesOf({ main, deadLetter, transferDeadLetter }: NaiveEntity): NaiveStore[] {
  return [main, deadLetter, transferDeadLetter];
}

/** The size of a message that counts against quotas. */
export function costOf(content: NaiveContent): number {
  return sizeOf(content) + 512;
}

const sizes = new WeakMap<NaiveContent, number>();

/** The size of a message, which does not change. It is needed after each command. */
export function sizeOf(content: NaiveContent): number {
  const known = sizes.get(content);
  if (known !== undefined) return known;
  const size = measure(content);
  sizes.set(content, size);
  return size;
}

function measure({ messageId, sessionId, partitionKey, subject, body, properties }: NaiveContent): number {
  const texts = [messageId, sessionId, partitionKey, subject].filter((text) => text !== undefined);
  const inTexts = texts.reduce((sum, text) => sum + 4 + text.length, 0);
  const inProperties = Object.entries(properties).reduce(
    (sum, [name, value]) => sum + 8 + name.length + (typeof value === "string" ? value.length : 8),
    0,
  );
  return 32 + inTexts + inProperties + bodyText(body).length;
}

/** The name of a large body in histories: three of them reach the smallest quota. */
export const largeBody = "large";
const largeText = "x".repeat(400_000);

/** The text of a body, given its name. */
export function bodyText(body: string): string {
  return body === largeBody ? largeText : body;
}

/** The available messages, oldest first; with a session id, those of the session. */
export function available(store: NaiveStore, sessionId: string | undefined): NaiveMessage[] {
  return byArrival(store.messages).filter(
    (message) =>
      message.state === "active" &&
      message.lock === undefined &&
      (sessionId === undefined || message.content.sessionId === sessionId),
  );
}

/** The session of an id, created if there is none. */
export function openSession(store: NaiveStore, id: string): NaiveSession {
  let session = store.sessions.find((each) => each.id === id);
  if (session === undefined) {
    session = { store, id, lock: undefined, state: null };
    store.sessions.push(session);
  }
  return session;
}

/** Messages by sequence number. */
export function inOrder(messages: readonly NaiveMessage[]): NaiveMessage[] {
  return [...messages].sort((a, b) => a.sequence - b.sequence);
}
