import fc from "fast-check";
import {
  largeBody,
  type Mode,
  type NaiveContent,
  type NaiveOptions,
  type Settlement,
} from "./naive-entity.js";

/** The message that a command sends. */
export type CommandMessage = Omit<NaiveContent, "scheduledAtMs">;

/** The entities of a history: a fixed set of queues, topics and subscriptions with random properties. */
export interface Fixture {
  readonly plain: Partial<NaiveOptions>;
  readonly sessions: Partial<NaiveOptions>;
  readonly chainLength: number;
  readonly topic: Partial<NaiveOptions>;
  readonly subscription: Partial<NaiveOptions>;
  readonly deadLettersGoTo: string | undefined;
}

const sessions = ["", "s1", "s2", "s3"];

const mode = fc.constantFrom<Mode>("peekLock", "peekLock", "receiveAndDelete");
const small = fc.nat({ max: 40 });
const delayMs = fc.constantFrom(0, 1, 1_000, 6_000);
const changes = fc.option(fc.record({ tries: fc.nat({ max: 3 }) }), { nil: undefined });

const message: fc.Arbitrary<CommandMessage> = fc
  .record({
    messageId: fc.constantFrom("m1", "m2", "m3", "m4", "m5", "m6"),
    sessionId: fc.constantFrom(undefined, ...sessions, "s1", "s2"),
    partitionKey: fc.constantFrom(undefined, undefined, "p1", "p2"),
    subject: fc.constantFrom(undefined, "red", "blue"),
    timeToLiveMs: fc.constantFrom(Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, 1_000, 5_000, 20_000),
    body: fc.oneof(
      { weight: 60, arbitrary: fc.constantFrom("", "a", "body") },
      { weight: 1, arbitrary: fc.constant(largeBody) },
    ),
    properties: fc.record(
      { size: fc.nat({ max: 3 }), color: fc.constantFrom("red", "blue") },
      { requiredKeys: [] },
    ),
  })
  .map((each) => (each.sessionId === undefined ? each : { ...each, partitionKey: undefined }));

const all = "topic/Subscriptions/all";
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

const count = fc.integer({ min: 1, max: 4 });
const session = fc.constantFrom(...sessions);
const queue = fc.constantFrom("plain", "sessions");
const receiveWaitMs = fc.constantFrom(0, 0, 0, 0, 1, 30_000, Number.POSITIVE_INFINITY);
const entity = fc.constantFrom("plain", "sessions", all);

/**
 * Everything that a step refers to is a number, taken modulo what there is when it runs, so that any part of a history is again a history and
 * shrinking is free.
 */
const steps = [
  step("send", { to: small, messages }, 6),
  step("sendLater", { to: small, message, delayMs }),
  step("schedule", { to: small, message, delayMs }),
  step("cancel", { ticket: small }),
  step("receive", { from: small, count, mode, maxWaitMs: receiveWaitMs }, 6),
  step("receiveDeferred", { receipts: fc.array(small, { minLength: 1, maxLength: 2 }), mode }),
  step("settle", { receipt: small, how: settlement, changes }, 7),
  step("renew", { receipt: small }),
  step("peek", { from: small, start: fc.nat({ max: 6 }), count: fc.integer({ min: 1, max: 5 }), session }),
  step("acceptSession", { from: small, session, mode }),
  step("acceptNextSession", { from: small, mode, maxWaitMs: fc.constantFrom(0, 0, 1, 30_000) }, 3),
  step("receiveFromSession", { hold: small, count, maxWaitMs: fc.constantFrom(0, 0, 1_000, 90_000) }, 4),
  step("renewSession", { hold: small }),
  step("closeSession", { hold: small }),
  step("setSessionState", { hold: small, state: fc.constantFrom(null, "x", "y") }),
  step("getSessionState", { hold: small }),
  step("deleteMessages", {
    from: small,
    count: fc.integer({ min: 1, max: 5 }),
    ageMs: fc.constantFrom(0, 1_000),
  }),
  step("advance", { ms: fc.constantFrom(0, 1, 999, 1_000, 4_999, 5_000, 21_000, 61_000, 150_000) }, 4),
  step("consume", { from: small, mode }),
  step("grant", { consumer: small, credit: fc.integer({ min: 0, max: 4 }) }, 2),
  step("drain", { consumer: small }),
  step("closeConsumer", { consumer: small }),
  step("begin", {}),
  step("sendIn", { transaction: small, to: small, messages }),
  step("scheduleIn", { transaction: small, to: small, message, delayMs }),
  step("settleIn", { transaction: small, receipt: small, how: settlement, changes }, 2),
  step("sendVia", { via: fc.constantFrom("plain", "sessions", "topic"), to: small, messages }),
  step("sendViaIn", { transaction: small, via: queue, to: small, messages }),
  step("commit", { transaction: small }),
  step("rollBack", { transaction: small }),
  step("update", { entity, changes: receiverChange }),
  step("update", { entity: fc.constant("plain"), changes: forwardChange }),
  step("update", { entity: fc.constant("topic"), changes: fc.record({ status }) }),
  step("delete", { queue }),
  step("create", { queue }, 2),
  step("purge", { from: small }),
  step("addRule", {
    name: fc.constantFrom("extra", "other"),
    expression: fc.constantFrom("1 = 1", "size = 0", "sys.SessionId LIKE 's%'", "sys.Bogus = 1"),
  }),
  step("removeRule", { name: fc.constantFrom("extra", "other", "red") }),
  { weight: 1, arbitrary: fc.oneof(step("clearFaults", {}, 3), step("reset", {})) },
  step("fill", { to: small }),
  step("repeatDeliveries", { to: small, count: fc.nat({ max: 2 }) }),
  step("throttle", { from: small, count: fc.nat({ max: 2 }) }),
  step("loseLock", { receipt: small }),
  step("dropLinks", { from: small }),
];
const restart = step("restart", {}, 2);

/** One step of a random history. */
export type Command = ArbitraryValue<((typeof steps)[number] | typeof restart)["arbitrary"]>;
type ArbitraryValue<Made> = Made extends fc.Arbitrary<infer Value> ? Value : never;

/** One random step. */
export const command: fc.Arbitrary<Command> = fc.oneof(...steps);

/** One random step, which may also close the broker and open it again on its storage. */
export const durableCommand: fc.Arbitrary<Command> = fc.oneof(...steps, restart);

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

function step<Name extends string, Fields extends object>(
  name: Name,
  fields: { [Key in keyof Fields]: fc.Arbitrary<Fields[Key]> },
  weight = 1,
) {
  const command = fc.record({ do: fc.constant(name), ...fields });
  return { weight, arbitrary: command as unknown as fc.Arbitrary<{ do: Name } & Fields> };
}
