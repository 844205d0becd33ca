import { describe, expect, it } from "vitest";
import type { Census, CensusGroup, CensusPlace } from "../census/census.js";
import type { FormatReads, ReadRecord } from "../reads/read-record.js";
import type { RetirementEvidence, RetirementTarget } from "./retirement-evidence.js";
import { retirementVerdict } from "./retirement-verdict.js";

const start = Date.parse("2026-11-05T12:00:00Z");
const at = (ms: number) => new Date(start + ms);

function group(members: Partial<CensusGroup> = {}): CensusGroup {
  return {
    ...{ entityPath: "orders", subQueue: undefined, state: "active", mediaType: "application/json" },
    ...{ messageType: "order", isOwnRecord: false, messageVersion: 1, upcastPath: [1, 2] },
    ...{ status: "decoded", serializer: "json", declared: "json", position: 0, reason: undefined },
    ...{ count: 1, bytes: 2, oldestEnqueuedAt: at(-5), newestEnqueuedAt: at(-5), newestSentAt: at(-5) },
    ...{ latestScheduledAt: undefined, latestExpiryAt: undefined, examples: [1n] },
    ...members,
  };
}

function place(members: Partial<CensusPlace> = {}): CensusPlace {
  return {
    ...{ entityPath: "orders", subQueue: undefined, peeked: 3, end: "reached" },
    ...{ requiresSession: false, counts: undefined },
    ...members,
  };
}

function census(members: Partial<Census> = {}): Census {
  return {
    ...{ startedAt: at(0), finishedAt: at(1), serializers: ["json", "avro"], sampleRate: 1 },
    messageTypes: [{ name: "order", aliases: ["purchase"], versions: [1, 2] }],
    ...{ places: [place()], groups: [], hidden: [] },
    ...members,
  };
}

const reads: FormatReads = {
  ...{ serializer: "avro", declared: "avro", messageType: "order", messageVersion: 2, upcastPath: [] },
  ...{ count: 1, lastReadAt: at(0), newestSentAt: at(-1) },
};

function record(members: Partial<ReadRecord> = {}): ReadRecord {
  return { reader: "billing", instance: "1", since: at(-9), recordedAt: at(0), reads: [], ...members };
}

const evidence: RetirementEvidence = { writersStoppedAt: at(-2), reads: [record()] };
const json: RetirementTarget = { serializer: "json" };

/** The answer, and each reason with what to do. */
function verdict(
  members: Partial<Census> = {},
  more: Partial<RetirementEvidence> = {},
  target: RetirementTarget = json,
): readonly string[] {
  const { answer, reasons } = retirementVerdict(target, census(members), { ...evidence, ...more });
  return [answer, ...reasons.map(({ text, todo }) => `${text} -> ${todo}`)];
}

describe("a verdict", () => {
  it("is yes on evidence, which it names", () => {
    expect(retirementVerdict(json, census(), { ...evidence, unrelated: ["archive", "logs"] })).toMatchObject({
      answer: "yes",
      reasons: [],
      evidence: [
        "At 2026-11-05T12:00:00.000Z, 3 messages in 1 places were peeked to their end, and none needs it.",
        "You state that its writers stopped at 2026-11-05T11:59:59.998Z; neither 0 earlier censuses nor the reads of billing contradict it.",
        "You state that no consumer receives from archive, logs.",
      ],
    });
    expect(retirementVerdict(json, census(), evidence)).toMatchObject({ evidence: { length: 2 } });
  });

  it("is no while messages need it, and says until when they wait", () => {
    const lasting = (latestExpiryAt: Date | undefined) => group({ latestExpiryAt });
    expect(verdict({ groups: [lasting(at(9)), lasting(at(7))] })).toEqual([
      "no",
      "2 messages in orders need it. -> wait until 2026-11-05T12:00:00.009Z, when the last of them expires, or receive them, and repair or remove the dead-lettered ones",
    ]);
    expect(verdict({ groups: [lasting(at(9)), lasting(undefined)] })).toEqual([
      "no",
      "2 messages in orders need it. -> receive them, and repair or remove the dead-lettered ones",
    ]);
    expect(verdict({ groups: [group({ isOwnRecord: true })] })).toEqual(["yes"]);
  });

  it("is not known while messages cannot be read", () => {
    const unread = { serializer: undefined, declared: undefined };
    expect(verdict({ groups: [group({ ...unread, status: "undeserializable" })] })).toEqual([
      "not-known",
      "1 message in orders cannot be read by any serializer of the chain. -> repair or remove them",
    ]);
  });

  it("of a version counts what is read as it, or converted through it, not what is converted to it", () => {
    const version = (number: number) => ({ messageType: "order", version: number });
    const groups = [group({ messageVersion: 1, upcastPath: [1, 2] })];
    expect(verdict({ groups }, {}, version(1))[0]).toBe("no");
    expect(verdict({ groups }, {}, version(2))[0]).toBe("yes");
    const through = [group({ messageVersion: 1, upcastPath: [0, 1, 2] })];
    expect(
      verdict(
        { groups: through, messageTypes: [{ name: "order", aliases: [], versions: [0, 1, 2] }] },
        {},
        version(0),
      )[0],
    ).toBe("no");
  });
});

describe("a place that was not peeked to its end", () => {
  it("leaves the verdict open, and says why", () => {
    expect(verdict({ places: [place({ end: "limit" }), place({ subQueue: "deadLetter" })] })).toEqual([
      "not-known",
      "orders was not peeked to its end: peeking stopped after 3 messages. -> take the census without a limit",
    ]);
    const error = { code: "unauthorized", text: "No." };
    expect(verdict({ places: [place({ end: "failed", error }), place({ subQueue: "deadLetter" })] })).toEqual(
      [
        "not-known",
        "orders was not peeked to its end: peeking failed (unauthorized). -> take the census again",
      ],
    );
  });

  const topic = place({ entityPath: "events", end: "failed", error: { code: "unauthorized", text: "No." } });
  const unpeeked = "events was not peeked to its end: peeking failed (unauthorized).";

  it("and is a topic may hold schedules until the longest has come", () => {
    expect(verdict({ places: [topic] })).toEqual([
      "not-known",
      `${unpeeked} -> take the census again; where the topic cannot be peeked, state when writers stopped and how far ahead they schedule`,
    ]);
    expect(verdict({ places: [topic] }, { maxScheduleDurationInMs: 2 })).toEqual([
      "not-known",
      `${unpeeked} -> wait until 2026-11-05T12:00:00.000Z, then take the census again`,
    ]);
    expect(verdict({ places: [topic] }, { maxScheduleDurationInMs: 1 })).toEqual(["yes"]);
  });

  it("is told once if the broker counts what is scheduled there", () => {
    const scheduled = (entityPath: string, kind: "scheduled-at-topic" | "in-transfer") => ({
      ...{ entityPath, kind, count: 2 },
    });
    const counted =
      "the broker counts 2 messages scheduled at the topic events that could not be peeked there. -> take the census again, with a connection that can peek the topic";
    expect(verdict({ places: [topic], hidden: [scheduled("events", "scheduled-at-topic")] })).toEqual([
      "not-known",
      counted,
    ]);
    expect(verdict({ places: [topic], hidden: [scheduled("events", "in-transfer")] })).toHaveLength(3);
    expect(verdict({ places: [topic], hidden: [scheduled("others", "scheduled-at-topic")] })).toHaveLength(3);
    expect(verdict({ hidden: [scheduled("orders", "in-transfer")] })).toEqual([
      "not-known",
      "2 messages in transfer from orders to another entity. -> take the census again",
    ]);
  });
});

describe("what users state is held against what was seen", () => {
  it("of schedules", () => {
    const groups = [
      group({ serializer: "avro", declared: "avro", latestScheduledAt: undefined }),
      group({ serializer: "avro", declared: "avro", latestScheduledAt: at(100), newestSentAt: undefined }),
      group({ serializer: "avro", declared: "avro", latestScheduledAt: at(10), newestSentAt: at(-5) }),
    ];
    expect(verdict({ groups }, { maxScheduleDurationInMs: 15 })).toEqual(["yes"]);
    expect(verdict({ groups })).toEqual(["yes"]);
    expect(verdict({ groups }, { maxScheduleDurationInMs: 14 })).toEqual([
      "no",
      "contradicted: a message in orders is scheduled for 2026-11-05T12:00:00.010Z, further ahead than the 14 ms that are stated. -> state how far ahead producers really schedule",
    ]);
  });

  it("of writers, by the newest message that any consumer has read", () => {
    const by = (reader: string, ...newest: readonly (Date | undefined)[]) =>
      record({
        reader,
        reads: newest.map((newestSentAt) => ({ ...reads, serializer: "json", newestSentAt })),
      });
    expect(verdict({}, { reads: [by("billing", at(-2), undefined)] })).toEqual(["yes"]);
    expect(verdict({}, { reads: [record({ reads: [{ ...reads, newestSentAt: at(-1) }] })] })).toEqual([
      "yes",
    ]);
    expect(verdict({}, { reads: [by("a", at(-1)), by("b", at(4), at(3)), by("c", at(4), at(2))] })).toEqual([
      "no",
      "contradicted: b has read one that was enqueued at 2026-11-05T12:00:00.004Z, after its writers were said to have stopped. -> find the producer that sent it",
    ]);
  });

  it("and refused where it is not valid", () => {
    const never = new Date(Number.NaN);
    const invalid = "a read record has invalid dates. -> list the records again";
    for (const broken of [
      record({ since: never }),
      record({ recordedAt: never }),
      record({ reads: [{ ...reads, lastReadAt: never }] }),
      record({ reads: [{ ...reads, newestSentAt: never }] }),
    ])
      expect(verdict({}, { reads: [record(), broken] })).toEqual(["not-known", invalid]);
    expect(verdict({}, { reads: [record({ reads: [{ ...reads, newestSentAt: undefined }] })] })).toEqual([
      "yes",
    ]);
  });
});

describe("a target that the chain does not have", () => {
  const names = Array.from({ length: 21 }, (_, index) => `s${index}`);
  it.each<[unknown, Partial<Census>, string]>([
    [
      { serializer: "x".repeat(129) },
      { serializers: names },
      `the chain has no serializer "${"x".repeat(128)}", only ${names
        .slice(0, 20)
        .map((name) => `"${name}"`)
        .join(", ")}; name one of them, or take the census with the chain that consumers have now.`,
    ],
    [
      { serializer: 7 },
      {},
      'the chain has no serializer 7, only "json", "avro"; name one of them, or take the census with the chain that consumers have now.',
    ],
    [
      { messageType: "order", version: 1 },
      { messageTypes: [] },
      "the chain has no message types, so the census cannot tell versions apart; take the census with the message types that consumers have now.",
    ],
    [{ messageType: "order", version: 3 }, {}, 'version 3 of "order" is not in the chain, which has 1, 2.'],
    [
      { messageType: "order", version: "1" },
      {},
      'version "1" of "order" is not in the chain, which has 1, 2. The version has to be a number.',
    ],
    [
      { messageType: "Purchase", version: 1 },
      {},
      'the chain has no message type "Purchase"; name it "order", as its definition does; take the census with the message types that consumers have now.',
    ],
    [
      { messageType: "paid", version: 1 },
      {},
      'the chain has no message type "paid", only "order"; take the census with the message types that consumers have now.',
    ],
  ])("is named: %j", (target, members, expected) => {
    const { answer, reasons } = retirementVerdict(target as RetirementTarget, census(members), evidence);
    expect(answer).toBe("not-known");
    expect(reasons.map(({ text }) => text)).toContain(expected);
  });
});
