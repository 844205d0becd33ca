import fc from "fast-check";
import {
  LARGE_BODY,
  type Mode,
  type NaiveOptions,
  type NaiveProperties,
  type Settlement,
} from "./naive-entity.js";

/** The message that a command sends. */
export interface CommandMessage {
  readonly messageId: string;
  readonly sessionId: string | undefined;
  /** Absent if there is a session id, which overrides it. */
  readonly partitionKey: string | undefined;
  readonly subject: string | undefined;
  readonly timeToLiveMs: number;
  readonly body: string;
  readonly properties: NaiveProperties;
}

/**
 * One step of a random history. Its references are numbers, taken modulo the number of existing objects when it runs, so that any
 * part of a history is also a valid history, and shrinking is simple.
 */
export type Command =
  | { readonly do: "send"; readonly to: number; readonly messages: readonly CommandMessage[] }
  | {
      readonly do: "sendLater";
      readonly to: number;
      readonly message: CommandMessage;
      readonly delayMs: number;
    }
  | {
      readonly do: "schedule";
      readonly to: number;
      readonly message: CommandMessage;
      readonly delayMs: number;
    }
  | { readonly do: "cancel"; readonly ticket: number }
  | {
      readonly do: "receive";
      readonly from: number;
      readonly count: number;
      readonly mode: Mode;
      readonly maxWaitMs: number;
    }
  | { readonly do: "receiveDeferred"; readonly receipts: readonly number[]; readonly mode: Mode }
  | {
      readonly do: "settle";
      readonly receipt: number;
      readonly how: Settlement;
      readonly changes: NaiveProperties | undefined;
    }
  | { readonly do: "renew"; readonly receipt: number }
  | {
      readonly do: "peek";
      readonly from: number;
      readonly start: number;
      readonly count: number;
      readonly session: string;
    }
  | { readonly do: "acceptSession"; readonly from: number; readonly session: string; readonly mode: Mode }
  | {
      readonly do: "acceptNextSession";
      readonly from: number;
      readonly mode: Mode;
      readonly maxWaitMs: number;
    }
  | {
      readonly do: "receiveFromSession";
      readonly hold: number;
      readonly count: number;
      readonly maxWaitMs: number;
    }
  | { readonly do: "renewSession"; readonly hold: number }
  | { readonly do: "closeSession"; readonly hold: number }
  | { readonly do: "setSessionState"; readonly hold: number; readonly state: string | null }
  | { readonly do: "getSessionState"; readonly hold: number }
  | { readonly do: "deleteMessages"; readonly from: number; readonly count: number; readonly ageMs: number }
  | { readonly do: "consume"; readonly from: number; readonly mode: Mode }
  | { readonly do: "grant"; readonly consumer: number; readonly credit: number }
  | { readonly do: "drain"; readonly consumer: number }
  | { readonly do: "closeConsumer"; readonly consumer: number }
  | { readonly do: "begin" }
  | {
      readonly do: "sendIn";
      readonly transaction: number;
      readonly to: number;
      readonly messages: readonly CommandMessage[];
    }
  | {
      readonly do: "scheduleIn";
      readonly transaction: number;
      readonly to: number;
      readonly message: CommandMessage;
      readonly delayMs: number;
    }
  | {
      readonly do: "settleIn";
      readonly transaction: number;
      readonly receipt: number;
      readonly how: Settlement;
      readonly changes: NaiveProperties | undefined;
    }
  | { readonly do: "commit"; readonly transaction: number }
  | { readonly do: "rollBack"; readonly transaction: number }
  | { readonly do: "update"; readonly entity: string; readonly changes: Partial<NaiveOptions> }
  | { readonly do: "delete" | "create"; readonly queue: string }
  | { readonly do: "purge"; readonly from: number }
  | { readonly do: "addRule"; readonly name: string; readonly expression: string }
  | { readonly do: "removeRule"; readonly name: string }
  | {
      readonly do: "sendVia";
      readonly via: string;
      readonly to: number;
      readonly messages: readonly CommandMessage[];
    }
  | {
      readonly do: "sendViaIn";
      readonly transaction: number;
      readonly via: string;
      readonly to: number;
      readonly messages: readonly CommandMessage[];
    }
  | { readonly do: "reset" }
  | { readonly do: "fill"; readonly to: number }
  | { readonly do: "repeatDeliveries"; readonly to: number; readonly count: number }
  | { readonly do: "throttle"; readonly from: number; readonly count: number }
  | { readonly do: "loseLock"; readonly receipt: number }
  | { readonly do: "dropLinks"; readonly from: number }
  | { readonly do: "clearFaults" }
  | { readonly do: "restart" }
  | { readonly do: "advance"; readonly ms: number };

/** The entities of a history: a fixed set of queues, topics and subscriptions with random properties. */
export interface Fixture {
  readonly plain: Partial<NaiveOptions>;
  readonly sessions: Partial<NaiveOptions>;
  readonly chainLength: number;
  readonly topic: Partial<NaiveOptions>;
  readonly subscription: Partial<NaiveOptions>;
  readonly deadLettersGoTo: string | undefined;
}

const SESSIONS = ["", "s1", "s2", "s3"];

const mode = fc.constantFrom<Mode>("peekLock", "peekLock", "receiveAndDelete");
const small = fc.nat({ max: 40 });
const delayMs = fc.constantFrom(0, 1, 1_000, 6_000);
const changes = fc.option(fc.record({ tries: fc.nat({ max: 3 }) }), { nil: undefined });

const message: fc.Arbitrary<CommandMessage> = fc
  .record({
    messageId: fc.constantFrom("m1", "m2", "m3", "m4", "m5", "m6"),
    sessionId: fc.constantFrom(undefined, ...SESSIONS, "s1", "s2"),
    partitionKey: fc.constantFrom(undefined, undefined, "p1", "p2"),
    subject: fc.constantFrom(undefined, "red", "blue"),
    timeToLiveMs: fc.constantFrom(Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, 1_000, 5_000, 20_000),
    body: fc.oneof(
      { weight: 60, arbitrary: fc.constantFrom("", "a", "body") },
      { weight: 1, arbitrary: fc.constant(LARGE_BODY) },
    ),
    properties: fc.record(
      { size: fc.nat({ max: 3 }), color: fc.constantFrom("red", "blue") },
      { requiredKeys: [] },
    ),
  })
  .map((each) => (each.sessionId === undefined ? each : { ...each, partitionKey: undefined }));

const ALL = "topic/Subscriptions/all";
const status = fc.constantFrom(
  "Active" as const,
  "Active" as const,
  "Disabled" as const,
  "SendDisabled" as const,
  "ReceiveDisabled" as const,
);
const receiverChange: fc.Arbitrary<Partial<NaiveOptions>> = fc.record(
  {
    status,
    lockDurationMs: fc.constantFrom(5_000, 60_000),
    maxDeliveryCount: fc.constantFrom(1, 3),
    defaultMessageTimeToLiveMs: fc.constantFrom(Number.POSITIVE_INFINITY, 3_000),
    deadLetteringOnMessageExpiration: fc.boolean(),
  },
  { requiredKeys: [] },
);
const forwardChange = fc.record({ forwardTo: fc.constantFrom(undefined, undefined, "topic", "sessions") });
const settlement = fc.constantFrom<Settlement>("complete", "abandon", "abandon", "defer", "deadLetter");
const messages = fc.array(message, { minLength: 1, maxLength: 3 });

const steps = [
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("send" as const),
      to: small,
      messages,
    }),
  },
  step({ do: fc.constant("sendLater" as const), to: small, message, delayMs }),
  step({ do: fc.constant("schedule" as const), to: small, message, delayMs }),
  step({ do: fc.constant("cancel" as const), ticket: small }),
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("receive" as const),
      from: small,
      count: fc.integer({ min: 1, max: 4 }),
      mode,
      maxWaitMs: fc.constantFrom(0, 0, 0, 0, 1, 30_000, Number.POSITIVE_INFINITY),
    }),
  },
  step({
    do: fc.constant("receiveDeferred" as const),
    receipts: fc.array(small, { minLength: 1, maxLength: 2 }),
    mode,
  }),
  {
    weight: 7,
    arbitrary: fc.record({
      do: fc.constant("settle" as const),
      receipt: small,
      how: settlement,
      changes,
    }),
  },
  step({ do: fc.constant("renew" as const), receipt: small }),
  step({
    do: fc.constant("peek" as const),
    from: small,
    start: fc.nat({ max: 6 }),
    count: fc.integer({ min: 1, max: 5 }),
    session: fc.constantFrom(...SESSIONS),
  }),
  step({
    do: fc.constant("acceptSession" as const),
    from: small,
    session: fc.constantFrom(...SESSIONS),
    mode,
  }),
  step(
    {
      do: fc.constant("acceptNextSession" as const),
      from: small,
      mode,
      maxWaitMs: fc.constantFrom(0, 0, 1, 30_000),
    },
    3,
  ),
  step(
    {
      do: fc.constant("receiveFromSession" as const),
      hold: small,
      count: fc.integer({ min: 1, max: 4 }),
      maxWaitMs: fc.constantFrom(0, 0, 1_000, 90_000),
    },
    4,
  ),
  step({ do: fc.constant("renewSession" as const), hold: small }),
  step({ do: fc.constant("closeSession" as const), hold: small }),
  step({ do: fc.constant("setSessionState" as const), hold: small, state: fc.constantFrom(null, "x", "y") }),
  step({ do: fc.constant("getSessionState" as const), hold: small }),
  step({
    do: fc.constant("deleteMessages" as const),
    from: small,
    count: fc.integer({ min: 1, max: 5 }),
    ageMs: fc.constantFrom(0, 1_000),
  }),
  step(
    {
      do: fc.constant("advance" as const),
      ms: fc.constantFrom(0, 1, 999, 1_000, 4_999, 5_000, 21_000, 61_000, 150_000),
    },
    4,
  ),
  step({ do: fc.constant("consume" as const), from: small, mode }),
  step({ do: fc.constant("grant" as const), consumer: small, credit: fc.integer({ min: 0, max: 4 }) }, 2),
  step({ do: fc.constant("drain" as const), consumer: small }),
  step({ do: fc.constant("closeConsumer" as const), consumer: small }),
  step({ do: fc.constant("begin" as const) }),
  step({ do: fc.constant("sendIn" as const), transaction: small, to: small, messages }),
  step({
    do: fc.constant("scheduleIn" as const),
    transaction: small,
    to: small,
    message,
    delayMs,
  }),
  step(
    { do: fc.constant("settleIn" as const), transaction: small, receipt: small, how: settlement, changes },
    2,
  ),
  step({
    do: fc.constant("sendVia" as const),
    via: fc.constantFrom("plain", "sessions", "topic"),
    to: small,
    messages,
  }),
  step({
    do: fc.constant("sendViaIn" as const),
    transaction: small,
    via: fc.constantFrom("plain", "sessions"),
    to: small,
    messages,
  }),
  step({ do: fc.constant("commit" as const), transaction: small }),
  step({ do: fc.constant("rollBack" as const), transaction: small }),
  step({
    do: fc.constant("update" as const),
    entity: fc.constantFrom("plain", "sessions", ALL),
    changes: receiverChange,
  }),
  step({ do: fc.constant("update" as const), entity: fc.constant("plain"), changes: forwardChange }),
  step({ do: fc.constant("update" as const), entity: fc.constant("topic"), changes: fc.record({ status }) }),
  step({ do: fc.constant("delete" as const), queue: fc.constantFrom("plain", "sessions") }),
  step({ do: fc.constant("create" as const), queue: fc.constantFrom("plain", "sessions") }, 2),
  step({ do: fc.constant("purge" as const), from: small }),
  step({
    do: fc.constant("addRule" as const),
    name: fc.constantFrom("extra", "other"),
    expression: fc.constantFrom("1 = 1", "size = 0", "sys.SessionId LIKE 's%'", "sys.Bogus = 1"),
  }),
  step({ do: fc.constant("removeRule" as const), name: fc.constantFrom("extra", "other", "red") }),
  {
    weight: 1,
    arbitrary: fc.constantFrom<Command>(
      { do: "clearFaults" },
      { do: "clearFaults" },
      { do: "clearFaults" },
      { do: "reset" },
    ),
  },
  step({ do: fc.constant("fill" as const), to: small }),
  step({ do: fc.constant("repeatDeliveries" as const), to: small, count: fc.nat({ max: 2 }) }),
  step({ do: fc.constant("throttle" as const), from: small, count: fc.nat({ max: 2 }) }),
  step({ do: fc.constant("loseLock" as const), receipt: small }),
  step({ do: fc.constant("dropLinks" as const), from: small }),
];

/** One random step. */
export const command: fc.Arbitrary<Command> = fc.oneof(...steps);

/** One random step, which may also close the broker and open it again on its storage. */
export const durableCommand: fc.Arbitrary<Command> = fc.oneof(
  ...steps,
  step({ do: fc.constant("restart" as const) }, 2),
);

const common = {
  lockDurationMs: fc.constantFrom(5_000, 60_000),
  maxDeliveryCount: fc.constantFrom(1, 2, 10),
  deadLetteringOnMessageExpiration: fc.boolean(),
  defaultMessageTimeToLiveMs: fc.constantFrom(Number.POSITIVE_INFINITY, 3_000, 20_000),
};
const temporary = { autoDeleteOnIdleMs: fc.constantFrom(Number.POSITIVE_INFINITY, 300_000) };
const sending = {
  enablePartitioning: fc.boolean(),
  maxSizeInMegabytes: fc.constantFrom(1, 1024),
  requiresDuplicateDetection: fc.boolean(),
  duplicateDetectionHistoryTimeWindowMs: fc.constantFrom(20_000, 60_000),
};

/** Random properties of the {@link Fixture}'s entities. */
export const fixture: fc.Arbitrary<Fixture> = fc
  .record({
    plain: fc.record({ ...common, ...sending, ...temporary }, { requiredKeys: [] }),
    sessions: fc.record({ ...common, ...sending, ...temporary }, { requiredKeys: [] }),
    chainLength: fc.integer({ min: 1, max: 6 }),
    topic: fc.record(
      { ...sending, defaultMessageTimeToLiveMs: common.defaultMessageTimeToLiveMs },
      { requiredKeys: [] },
    ),
    subscription: fc.record(
      { ...common, ...temporary, deadLetteringOnFilterEvaluationExceptions: fc.boolean() },
      { requiredKeys: [] },
    ),
    deadLettersGoTo: fc.constantFrom(undefined, "plain", "topic"),
  })
  .map(withRoomForCircles);

/**
 * Dead-lettered messages that return to their topic multiply until thousands fill the smallest quota, where every byte of their changes counts;
 * the model does not count those bytes.
 */
function withRoomForCircles(random: Fixture): Fixture {
  if (random.deadLettersGoTo === undefined) return random;
  const large = { maxSizeInMegabytes: 1024 };
  return { ...random, plain: { ...random.plain, ...large }, topic: { ...random.topic, ...large } };
}

function step<Fields extends object>(
  fields: { [Key in keyof Fields]: fc.Arbitrary<Fields[Key]> },
  weight = 1,
) {
  return { weight, arbitrary: fc.record(fields) as unknown as fc.Arbitrary<Command> };
}
