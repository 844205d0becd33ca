import { systemScheduler } from "@waybill/foundation";
import { describe, expect, it } from "vitest";
import type { Serializer } from "../../contracts/serializer.js";
import type { DeliveredMessage } from "../../contracts/transport.js";
import { unavailableFailure } from "../../errors/failure.js";
import { createPipeline } from "../../pipeline/pipeline.js";
import { text } from "../../serializers/text-serializer.js";
import { LookAhead } from "./look-ahead.js";

const mebibyte = 1024 * 1024;

describe("a look-ahead at waiting messages", () => {
  it("ends after 16 MiB of bodies, and the next one continues after them", async () => {
    const look = lookAhead(many(40, undecodable(mebibyte)));
    expect(await look.findReadable(1n)).toEqual({
      messageCount: 16,
      readable: undefined,
      next: 17n,
      isAtEnd: false,
    });
    expect((await look.findReadable(17n)).next).toBe(33n);
  });

  it("also counts the size of AMQP value bodies", async () => {
    const body = { section: "value", value: 1 } as const;
    const value = { body, size: 4 * mebibyte, state: "scheduled" } as const;
    expect((await lookAhead(many(40, value)).findReadable(1n)).messageCount).toBe(4);
  });

  it("reads at least one message of any size", async () => {
    const look = lookAhead([undecodable(20 * mebibyte), ...many(2, undecodable(1))]);
    expect((await look.findReadable(1n)).next).toBe(2n);
    expect((await look.survey(1n, 1)).messageCount).toBe(1);
  });

  it("ends after 16 MiB when it surveys a queue", async () => {
    const { messageCount, readable } = await lookAhead(many(40, undecodable(mebibyte))).survey(1n, 10);
    expect([messageCount, readable]).toEqual([16, undefined]);
  });

  it("surveys as many messages as a decision needs, of any size", async () => {
    const large = many(12, undecodable(4 * mebibyte));
    expect((await lookAhead(large).survey(1n, 10)).messageCount).toBe(10);
  });

  it("reads a thousand small messages", async () => {
    expect((await lookAhead(many(1_200, undecodable(1))).findReadable(1n)).messageCount).toBe(1_000);
  });
});

describe("a survey of a queue", () => {
  it("ends at the first message that can be read, and tells of it", async () => {
    const { look, told } = looking([unreadable, readable, readable]);
    expect(await look.survey(1n, 10)).toEqual({
      messageCount: 2,
      readable: expect.objectContaining({ sequenceNumber: 2n }),
      advice: undefined,
    });
    expect(told).toEqual([2n]);
  });

  it("peeks once, unless scheduled or deferred messages take the places of active ones", async () => {
    const few = looking(many(60, unreadable));
    expect((await few.look.survey(1n, 10)).messageCount).toBe(60);
    expect(few.peeked).toEqual([1n]);
    const mixed = looking([...many(25, scheduled), ...many(25, deferred), ...many(150, unreadable)]);
    expect((await mixed.look.survey(1n, 10)).messageCount).toBe(100);
    expect(mixed.peeked).toEqual([1n, 101n]);
  });

  it("reads a hundred active messages at most", async () => {
    const { look, peeked } = looking([scheduled, ...many(99, unreadable), scheduled, unreadable, readable]);
    expect(await look.survey(1n, 10)).toMatchObject({ messageCount: 100, readable: undefined });
    expect(peeked).toHaveLength(2);
  });

  it("looks past a thousand scheduled messages at most", async () => {
    const last = looking([...many(999, scheduled), readable]);
    expect(await last.look.survey(1n, 10)).toMatchObject({ messageCount: 1, readable: { state: "active" } });
    const beyond = looking([...many(1_000, scheduled), readable]);
    expect(await beyond.look.survey(1n, 10)).toMatchObject({ messageCount: 0, readable: undefined });
  });
});

describe("a look for a readable message", () => {
  it("ends at the first active one, and tells of it", async () => {
    const { look, told } = looking([unreadable, scheduled, deferred, readable, readable]);
    const found = expect.objectContaining({ sequenceNumber: 4n });
    expect(await look.findReadable(1n)).toEqual({
      messageCount: 4,
      readable: found,
      next: 5n,
      isAtEnd: false,
    });
    expect(told).toEqual([4n]);
    expect(await look.findReadable(6n)).toEqual({
      messageCount: 0,
      readable: undefined,
      next: 6n,
      isAtEnd: true,
    });
  });

  it("skips sessions that are known to stop, and adds those whose first message cannot be read", async () => {
    const of = (sessionId: string, waiting: Waiting) => ({ ...waiting, sessionId });
    const { look, told } = looking([
      of("a", readable),
      of("b", unreadable),
      of("b", readable),
      of("c", readable),
    ]);
    const passed = new Set(["a"]);
    expect(await look.findReadable(1n, passed)).toMatchObject({
      messageCount: 4,
      readable: { sessionId: "c" },
    });
    expect([...passed]).toEqual(["a", "b"]);
    expect(told).toEqual([4n]);
  });

  it("ends when the bodies take 16 MiB, to the byte", async () => {
    const { look } = looking([undecodable(16 * mebibyte - 1), undecodable(1), readable]);
    expect(await look.findReadable(1n)).toMatchObject({ messageCount: 2, readable: undefined });
  });

  it("ends after a hundred unavailable messages", async () => {
    const { look } = looking([unreadable, ...many(100, unavailable), readable]);
    expect(await look.findReadable(1n)).toMatchObject({ messageCount: 101, readable: undefined });
    const { look: other } = looking([unreadable, ...many(99, unavailable), readable]);
    expect(await other.findReadable(1n)).toMatchObject({ messageCount: 101, readable: { state: "active" } });
  });

  it("ends when more than a second has passed and one was unavailable, however slow the others are", async () => {
    const slow = looking([unreadable, unreadable, unreadable, readable], 1_000);
    expect((await slow.look.findReadable(1n)).messageCount).toBe(4);
    for (const [msPerBody, messageCount] of [
      [1_000, 2],
      [1_001, 1],
    ] as const) {
      const exactly = looking([unavailable, unreadable, readable], msPerBody);
      expect((await exactly.look.findReadable(1n)).messageCount).toBe(messageCount);
    }
    const waiting = looking([unavailable, unreadable, unreadable, readable], 500);
    expect((await waiting.look.findReadable(1n)).messageCount).toBe(3);
  });
});

type Waiting = Pick<DeliveredMessage, "body"> & Partial<DeliveredMessage>;

function undecodable(length: number): Waiting {
  return { body: new Uint8Array(length).fill(0xff), contentType: "text/plain" };
}

function many(count: number, message: Waiting): Waiting[] {
  return new Array<Waiting>(count).fill(message);
}

const encoder = new TextEncoder();
const readable: Waiting = { body: encoder.encode("good"), contentType: "text/plain" };
const unavailable: Waiting = { body: encoder.encode("later"), contentType: "text/plain" };
const unreadable = undecodable(1);
const scheduled: Waiting = { ...readable, state: "scheduled" };
const deferred: Waiting = { ...readable, state: "deferred" };

/** Reads text; "later" is unavailable. */
function serializer(onRead: () => void): Serializer {
  const plain = text();
  return {
    ...plain,
    deserialize(bytes, context) {
      onRead();
      if (bytes.length === 5) throw unavailableFailure("The registry does not answer.");
      return plain.deserialize(bytes, context);
    },
  };
}

function lookAhead(waiting: readonly Waiting[]): LookAhead {
  return looking(waiting).look;
}

/** A look-ahead over these messages, numbered from 1; from where it peeked, and of which readable messages it told. */
function looking(waiting: readonly Waiting[], msPerBody = 0) {
  let nowMs = 5_000;
  const messages = waiting.map(
    (message, i) =>
      ({
        state: "active",
        ...message,
        applicationProperties: {},
        sequenceNumber: BigInt(i + 1),
      }) as DeliveredMessage,
  );
  const peeked: bigint[] = [];
  const told: bigint[] = [];
  const peek = async ({ fromSequenceNumber = 0n, maxMessages = 1 }) => {
    peeked.push(fromSequenceNumber);
    return messages
      .filter(({ sequenceNumber }) => sequenceNumber >= fromSequenceNumber)
      .slice(0, maxMessages);
  };
  const pipeline = createPipeline({
    serializer: serializer(() => {
      nowMs += msPerBody;
    }),
  });
  const scheduler = { ...systemScheduler, now: () => nowMs, steadyNow: () => nowMs };
  const onReadable = ({ sequenceNumber }: DeliveredMessage) => void told.push(sequenceNumber);
  return { look: new LookAhead(() => ({ peek }), pipeline, scheduler, onReadable), peeked, told };
}
