import type { ResolvedQueueOptions, ResolvedSubscriptionOptions } from "../../src/entities/entity-options.js";
import type { CompiledRule } from "../../src/rules/rule.js";

type AllOptions = ResolvedQueueOptions & ResolvedSubscriptionOptions;
/** The properties of an entity that the model knows; durations in ms. */
export type NaiveOptions = Pick<AllOptions, keyof typeof NAIVE_DEFAULTS>;

/** Azure's defaults. */
const NAIVE_DEFAULTS = {
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

/** A message on its way in. */
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

/** Everything a receiver or peeker can see of a message. */
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

/** A refusal with the broker's error code. */
export class NaiveRefusal extends Error {
  readonly code: string;

  constructor(code: string) {
    super(code);
    this.code = code;
  }
}

/** A lock that a receiver got; it is lost as soon as the message has another lock or none. */
export interface NaiveReceipt {
  readonly message: NaiveMessage;
  readonly lock: NaiveLock | undefined;
  /** The session through which it was received. */
  readonly hold: NaiveSessionLock | undefined;
  /** The message as it was handed out. */
  readonly view: MessageView;
}

/** A receiver's hold on a session. */
export interface NaiveSessionLock {
  readonly session: NaiveSession;
  isLost: boolean;
  timer: NaiveTimer;
}

export type Settlement = "complete" | "abandon" | "defer" | "deadLetter";
export type Mode = "peekLock" | "receiveAndDelete";

/** A receive call that waits for its first message, or a grant of credit to a consumer. */
export interface NaiveWait {
  readonly store: NaiveStore;
  readonly hold: NaiveSessionLock | undefined;
  readonly mode: Mode;
  readonly timer: NaiveTimer | undefined;
  /** Whose grant it is; undefined for a receive call. */
  readonly consumer: NaiveConsumer | undefined;
  count: number;
  /** What a receive call ended with; undefined while it waits. */
  result: readonly NaiveReceipt[] | NaiveRefusal | undefined;
}

/** Where messages meet those who wait: a store, or one session of it. */
export interface NaiveLane {
  readonly store: NaiveStore;
  readonly sessionId: string | undefined;
}

/** Somebody to whom messages are pushed. */
export interface NaiveConsumer {
  readonly store: NaiveStore;
  readonly mode: Mode;
  /** What came since it was last looked at. */
  inbox: NaiveReceipt[];
  isClosed: boolean;
  /** Why the broker closed it. */
  refusal: NaiveRefusal | undefined;
}

/** Sends and settlements that happen together or not at all. */
export interface NaiveTransaction {
  state: "open" | "ended" | "timed-out";
  steps: NaiveStep[];
  /** The partition key of what is sent to each partitioned entity. */
  readonly keys: Map<NaiveEntity, string>;
  timer: NaiveTimer | undefined;
}

export type NaiveStep =
  | {
      readonly entity: NaiveEntity;
      readonly content: NaiveContent;
      readonly onward?: string | undefined;
      /** The number that a scheduled message has got already. */
      readonly sequence?: number;
    }
  | { readonly receipt: NaiveReceipt; readonly how: Settlement; readonly changes: NaiveProperties };

/** A call that waits for any session to become free. */
export interface NaiveSessionWait {
  readonly store: NaiveStore;
  readonly timer: NaiveTimer | undefined;
  /** What it ended with; undefined while it waits. */
  result: NaiveSessionLock | NaiveRefusal | undefined;
}

export interface NaiveTimer {
  readonly dueMs: number;
  /** Timers of one instant fire in the order in which they were armed. */
  readonly order: number;
}

export interface NaiveLock {
  readonly session: NaiveSessionLock | undefined;
}

export interface NaiveMessage {
  readonly store: NaiveStore;
  readonly content: NaiveContent;
  readonly sequence: number;
  /** Its place among the messages of its entity. */
  arrival: number;
  readonly enqueuedSequence: number;
  readonly enqueuedAtMs: number;
  readonly expiresAtMs: number;
  readonly hops: number;
  readonly deadLetterSource: string | undefined;
  properties: NaiveProperties;
  state: "active" | "deferred" | "scheduled";
  /** Whether it comes out of a schedule. */
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
  /** The next number of each partition; the only one has the number 0. */
  readonly next: Map<number, number>;
  /** How many messages without a key came. */
  turns: number;
  /** How many messages came. */
  arrivals: number;
  duplicates: { readonly key: string; readonly forgottenAtMs: number }[];
  accessedAtMs: number;
  idleTimer: NaiveTimer | undefined;
  /** Whether it acts as if its quota were used up. */
  isFilled: boolean;
}

export interface Transit {
  readonly content: NaiveContent;
  readonly properties: NaiveProperties;
  readonly enqueuedSequence: number | undefined;
  /** The number that the next entity has given it already. */
  readonly sequence: number | undefined;
  readonly wasScheduled: boolean;
  /** How long it may live from its next arrival on, unless an entity on the way caps it. */
  readonly lifeMs: number;
  readonly hops: number;
  readonly deadLetterSource: string | undefined;
}

/** Makes an entity without messages. */
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
    options: { ...NAIVE_DEFAULTS, ...options },
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

/** A message on its way to the first entity. */
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

/** The partition stands in the upper bits of a sequence number. */
export const PARTITION_RANGE = 2 ** 48;

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

/** What a message counts with against quotas. */
export function costOf(content: NaiveContent): number {
  return sizeOf(content) + 512;
}

const sizes = new WeakMap<NaiveContent, number>();

/** The size of a message, which does not change. It is asked for after each command. */
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

/** The name that a large body has in histories: three of them reach the smallest quota. */
export const LARGE_BODY = "large";
const LARGE_TEXT = "x".repeat(400_000);

/** The text of a body, given its name. */
export function bodyText(body: string): string {
  return body === LARGE_BODY ? LARGE_TEXT : body;
}

/** What may be handed out next, oldest first; with a session id, of that session. */
export function available(store: NaiveStore, sessionId: string | undefined): NaiveMessage[] {
  return byArrival(store.messages).filter(
    (message) =>
      message.state === "active" &&
      message.lock === undefined &&
      (sessionId === undefined || message.content.sessionId === sessionId),
  );
}

/** The session of an id, made if there is none. */
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
