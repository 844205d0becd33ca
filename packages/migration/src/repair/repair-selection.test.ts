import { createPipeline, defineMessage, type EncodedMessage } from "@waybill/core";
import { json } from "@waybill/serializer-json";
import { msgpack } from "@waybill/serializer-msgpack";
import { describe, expect, it } from "vitest";
import { replaced } from "../fixture.test-support.js";
import { garbage, openDeadLetters, order, pipeline } from "./dead-letters.test-support.js";
import type { DeadLetterCriteria } from "./select-dead-letters.js";
import { surveyDeadLetters } from "./survey-dead-letters.js";

const invoice = defineMessage("invoice", { version: 3, unused: [1], upcasters: { 2: (body) => body } });
const typedPipeline = createPipeline({
  serializer: msgpack(),
  additionalDeserializers: [json()],
  messageTypes: [invoice, defineMessage("order-placed", { version: 1 })],
});
const from = { queue: "orders" };

function typed(messageId: string, version: number): EncodedMessage {
  const body = new TextEncoder().encode("{}");
  const applicationProperties = { messageVersion: version };
  return { body, contentType: "application/json", subject: "invoice", messageId, applicationProperties };
}

const untyped = { ...order(1), messageId: "order", contentType: "application/json; charset=utf-8" };
const inMsgpack = {
  ...(pipeline.serialize({ body: { id: 1 } }) as EncodedMessage),
  messageId: "msgpack",
  subject: "order-placed",
};

/** Dead letters of five kinds, the last of which expired. */
async function openKinds() {
  const fixture = await openDeadLetters([untyped, typed("v2", 2), typed("v3", 3), inMsgpack, garbage], {
    deadLetteringOnMessageExpiration: true,
  });
  await fixture.send("orders", { ...order(2), messageId: "late", timeToLive: 1_000 });
  fixture.clock.advance(2_000);
  await fixture.waiting();
  return fixture;
}

describe("a selection of dead letters", () => {
  it.each<[criteria: DeadLetterCriteria, sent: string[]]>([
    [{}, ["order", "v2", "v3", "msgpack", "late"]],
    [{ reason: ["TTLExpiredException"] }, ["late"]],
    [{ messageType: ["invoice"] }, ["v2", "v3"]],
    [{ messageType: ["invoice", "order-placed"] }, ["order", "v2", "v3", "msgpack", "late"]],
    [{ messageVersion: [2] }, ["v2"]],
    [{ messageVersion: [] }, []],
    [{ format: ["json"] }, ["order", "v2", "v3", "late"]],
    [{ format: ["application/json"] }, ["order", "v2", "v3", "late"]],
    [{ format: ["application/vnd.msgpack"] }, ["msgpack"]],
    [{ number: [2n, 4n] }, ["v2", "msgpack"]],
    [{ messageType: ["invoice"], messageVersion: [3], reason: ["Test"] }, ["v3"]],
    [{ messageType: ["invoice"], reason: ["TTLExpiredException"] }, []],
    [{ reason: ["TTLExpiredException"], messageType: ["invoice"] }, []],
    [{ messageVersion: [2], format: ["msgpack"] }, []],
    [{ format: ["msgpack"], number: [1n] }, []],
    [{ messageVersion: [3], number: [2n] }, []],
  ])("with %o sends %j", async (select, sent) => {
    await using fixture = await openKinds();
    await fixture.repair({ pipeline: typedPipeline, select });
    expect((await fixture.waiting()).map(({ messageId }) => messageId)).toEqual(sent);
  });

  it("of one group of a survey sends that group and no other", async () => {
    const groupCount = 6;
    for (let index = 0; index < groupCount; index++) {
      await using fixture = await openKinds();
      const survey = () => surveyDeadLetters({ transport: fixture.transport, pipeline: typedPipeline, from });
      const { groups } = await survey();
      expect(groups).toHaveLength(groupCount);
      const { deadLetterReason, mediaType, messageType, messageVersion } = groups[index] ?? expect.fail();
      const kind = { deadLetterReason, mediaType, messageType, messageVersion };
      await fixture.repair({ pipeline: typedPipeline, select: { kind }, includeUndeserializable: true });
      const left = groups.filter((_, at) => at !== index);
      expect((await survey()).groups).toEqual(left);
    }
  });

  it("of a group with other criteria sends what meets them all", async () => {
    await using fixture = await openKinds();
    const kind = {
      deadLetterReason: "Test",
      mediaType: "application/json",
      messageType: "invoice",
      messageVersion: 2,
    };
    expect(await fixture.repair({ pipeline: typedPipeline, select: { kind, number: [3n] } })).toMatchObject({
      resubmitted: 0,
    });
    expect(await fixture.repair({ pipeline: typedPipeline, select: { kind, number: [2n] } })).toMatchObject({
      resubmitted: 1,
    });
  });
});

describe("a survey", () => {
  it("has the largest group first, with its age, its first three numbers and how often its messages failed again", async () => {
    const again = { ...order(2), applicationProperties: { "waybill-resubmits": 2 } };
    await using fixture = await openDeadLetters([garbage, order(1), again, order(3)]);
    fixture.clock.advance(59_000);
    await fixture.send("orders", order(4));
    await fixture.deadLetter(from);
    const survey = await surveyDeadLetters({ transport: fixture.transport, pipeline, from });
    expect(survey).toEqual({
      peeked: 5,
      decodable: 4,
      groups: [
        {
          deadLetterReason: "Test",
          mediaType: "application/json",
          messageType: "order-placed",
          messageVersion: undefined,
          status: "decoded",
          serializer: "json",
          reason: undefined,
          failure: undefined,
          detail: undefined,
          count: 4,
          resubmits: 2,
          oldestEnqueuedAt: new Date("2026-11-05T12:00:00Z"),
          newestEnqueuedAt: new Date("2026-11-05T12:01:00Z"),
          examples: [2n, 3n, 4n],
        },
        {
          deadLetterReason: "Test",
          mediaType: "(none)",
          messageType: undefined,
          messageVersion: undefined,
          status: "undeserializable",
          serializer: undefined,
          reason: "NoDeserializer",
          failure: { serializer: "msgpack", stage: "select", reason: "not-recognized" },
          detail: "The body does not start like this format.",
          count: 1,
          resubmits: 0,
          oldestEnqueuedAt: new Date("2026-11-05T12:00:00Z"),
          newestEnqueuedAt: new Date("2026-11-05T12:00:00Z"),
          examples: [1n],
        },
      ],
    });
  });

  it("says nothing of attempts that failed before the one that succeeded", async () => {
    const mislabelled = { ...order(1), contentType: "application/vnd.msgpack" };
    await using fixture = await openDeadLetters([mislabelled]);
    const { groups } = await surveyDeadLetters({ transport: fixture.transport, pipeline, from });
    expect(groups).toMatchObject([
      {
        ...{ status: "decoded", serializer: "json", mediaType: "application/vnd.msgpack" },
        ...{ reason: undefined, failure: undefined, detail: undefined },
      },
    ]);
  });

  it("has no reason for what cannot be read now and may be readable later", async () => {
    await using fixture = await openDeadLetters([order(1)]);
    const report = await pipeline.deserialize(order(1));
    const away = { deserialize: () => ({ ...report, status: "unavailable" }) } as unknown as typeof pipeline;
    const { groups, decodable } = await surveyDeadLetters({
      ...{ transport: fixture.transport, pipeline: away, from },
    });
    expect(groups).toMatchObject([{ status: "unavailable", reason: undefined, count: 1 }]);
    expect(decodable).toBe(0);
  });

  it("has at most 10,001 groups, however many kinds there are", async () => {
    await using fixture = await openDeadLetters([order(1)]);
    const [first] = await fixture.dead();
    const kinds = Array.from({ length: 10_002 }, (_, index) => ({
      ...(first ?? expect.fail()),
      subject: `kind ${index}`,
      sequenceNumber: BigInt(index),
    }));
    const transport = replaced(fixture.transport, {
      createReceiver: (address, mode) =>
        replaced(fixture.transport.createReceiver(address, mode), {
          peek: async ({ fromSequenceNumber }) => (fromSequenceNumber === undefined ? kinds : []),
        }),
    });
    const { groups } = await surveyDeadLetters({ transport, pipeline, from });
    expect(groups).toHaveLength(10_001);
    expect(groups[0]).toMatchObject({ count: 2, examples: [10_000n, 10_001n] });
  });

  it("shortens names that a producer may have made long", async () => {
    const long = { ...order(1), subject: `${"s".repeat(128)}t` };
    await using fixture = await openDeadLetters([]);
    await fixture.send("orders", long);
    const receiver = fixture.transport.createReceiver(from, "peekLock");
    const [message] = await receiver.receive({ maxMessages: 1, maxWaitTimeInMs: 0 });
    const deadLetterReason = `${"r".repeat(256)}t`;
    await receiver.deadLetter(message?.settlement ?? expect.fail(), { deadLetterReason });
    const { groups } = await surveyDeadLetters({ transport: fixture.transport, pipeline, from });
    expect(groups).toMatchObject([{ messageType: "s".repeat(128), deadLetterReason: "r".repeat(256) }]);
  });

  it("closes its receiver, whether it succeeds or not", async () => {
    await using fixture = await openDeadLetters([order(1)]);
    const before = fixture.leftOpen();
    const options = { transport: fixture.transport, from };
    await surveyDeadLetters({ ...options, pipeline });
    const broken = { deserialize: () => Promise.reject(new Error("broken")) };
    await expect(surveyDeadLetters({ ...options, pipeline: broken })).rejects.toThrow("broken");
    expect(fixture.leftOpen()).toEqual(before);
  });
});
