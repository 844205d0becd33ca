import type { ClaimCheckStore, EncodedMessage, Serializer } from "@waybill/core";
import { decodeFailure } from "@waybill/core/serializer";
import { json } from "@waybill/serializer-json";
import { describe, expect, it } from "vitest";
import {
  createFixture,
  custom,
  type Fixture,
  type FixtureOptions,
  poison,
  registryBound,
} from "../../test/fixture.js";

const encoder = new TextEncoder();

/** A format without detection: numbers with commas between them. A single digit is also JSON. */
const commas: Serializer = {
  name: "commas",
  mediaTypes: ["application/x-commas"],
  detection: "label",
  serialize: (value) => ({ bytes: encoder.encode(String(value)) }),
  deserialize(bytes) {
    const text = new TextDecoder().decode(bytes);
    if (!/^\d+(?:,\d+)*$/.test(text)) throw decodeFailure("malformed", "It holds more than numbers.");
    return text.split(",").map(Number);
  },
};

describe("client.rehearse", () => {
  it("reports the outcome for waiting messages, by content type, reader, outcome and reason", async () => {
    await using fixture = await createChain({
      additionalDeserializers: [commas, registryBound({ isUp: false })],
    });
    const orders = fixture.client.createSender("orders");
    await orders.sendMessages([
      { subject: "order", body: { n: 1 } },
      { subject: "order", body: { n: 2 } },
      { subject: "order", body: [3, 4], contentType: "application/x-commas" },
    ]);
    await orders.sendEncodedMessages([poison("p"), { body: encoder.encode('"hello"') }, custom("c")]);
    expect(await fixture.client.rehearse("orders")).toMatchObject({
      answer: "contradicted",
      entityPath: "orders",
      messageCount: 6,
      decodedCount: 3,
      undeserializableCount: 2,
      unavailableCount: 1,
      isWhole: true,
      groups: [
        group("application/json", "order", "json", 2, 1n),
        group("application/x-commas", "order", "commas", 1, 3n),
        {
          ...group("application/json", undefined, undefined, 1, 4n),
          outcome: "undeserializable",
          reason: "DeserializationFailed",
        },
        {
          ...group(undefined, undefined, undefined, 1, 5n),
          outcome: "undeserializable",
          reason: "NoDeserializer",
          suggestion: 'contentTypePolicies: { missing: { assume: "json" } }',
          isTried: true,
        },
        { ...group("application/x-custom", undefined, undefined, 1, 6n), outcome: "unavailable" },
      ],
      advice:
        '1 of 6 messages have no content type and look like JSON: contentTypePolicies: { missing: { assume: "json" } } would read them.',
    });
  });

  it("locks nothing, counts no delivery and writes nothing", async () => {
    const calls = { put: 0, get: 0, delete: 0 };
    const bodies = new Map<string, Uint8Array>();
    const store: ClaimCheckStore = {
      async put(key, bytes) {
        calls.put++;
        bodies.set(key, bytes);
      },
      async get(key) {
        calls.get++;
        return bodies.get(key);
      },
      async delete() {
        calls.delete++;
      },
    };
    await using fixture = await createChain({ claimCheck: { store, minBytes: 100 } });
    await fixture.client
      .createSender("orders")
      .sendMessages([{ body: "x".repeat(1_000) }, { body: { n: 1 } }]);
    const before = await fixture.broker.receiver("orders").peek(9);
    expect(await fixture.client.rehearse("orders")).toMatchObject({ messageCount: 2, decodedCount: 2 });
    expect(calls).toEqual({ put: 1, get: 1, delete: 0 });
    expect(await fixture.broker.receiver("orders").peek(9)).toEqual(before);
    const [first] = await fixture.client.createReceiver("orders").receiveMessages(1, { maxWaitTimeInMs: 0 });
    expect(first).toMatchObject({ deliveryCount: 0 });
    expect(fixture.events).toEqual([]);
  });

  it("reads subscriptions, dead-letter queues and sessions", async () => {
    await using fixture = await createChain();
    await fixture.broker.createQueue("carts", { requiresSession: true });
    await fixture.client.createSender("news").sendMessages({ body: { n: 1 } });
    expect(await fixture.client.rehearse("news", "all")).toMatchObject({
      entityPath: "news/Subscriptions/all",
      messageCount: 1,
    });
    const carts = ["ada", "ben", "ada"].map((sessionId) => ({ sessionId, body: { n: 1 } }));
    await fixture.client.createSender("carts").sendMessages(carts);
    // A session that another receiver has locked can also be read.
    await fixture.client.acceptSession("carts", "ada");
    expect(await fixture.client.rehearse("carts")).toMatchObject({ messageCount: 3 });
    expect(await fixture.client.rehearse("carts", { sessionId: "ada" })).toMatchObject({ messageCount: 2 });
    await fixture.client.createSender("orders").sendEncodedMessages(poison("p"));
    await fixture.client.createReceiver("orders").receiveMessages(1, { maxWaitTimeInMs: 0 });
    expect(await fixture.client.rehearse("orders", { subQueueType: "deadLetter" })).toMatchObject({
      messageCount: 1,
      groups: [{ reason: "DeserializationFailed" }],
    });
  });

  it("reads a hundred messages, or the given number", async () => {
    await using fixture = await createChain();
    await fixture.client
      .createSender("orders")
      .sendMessages(Array.from({ length: 250 }, (_, n) => ({ body: { n } })));
    expect(await fixture.client.rehearse("orders")).toMatchObject({ messageCount: 100, isWhole: false });
    expect(await fixture.client.rehearse("orders", { maxMessageCount: 1 })).toMatchObject({
      messageCount: 1,
      isWhole: false,
    });
    expect(await fixture.client.rehearse("orders", { maxMessageCount: 250 })).toMatchObject({
      messageCount: 250,
      isWhole: true,
    });
    await expect(fixture.client.rehearse("orders", { maxMessageCount: 0 })).rejects.toThrow(TypeError);
    await fixture.client.close();
    await expect(fixture.client.rehearse("orders")).rejects.toMatchObject({ code: "closed" });
  });

  it("does not fill the memory with arbitrary content types", async () => {
    await using fixture = await createChain();
    const messages = Array.from({ length: 1_500 }, (_, i) => ({
      contentType: `x/${i}`,
      subject: `s${i}`,
      body: encoder.encode("\u0000"),
    }));
    await fixture.client.createSender("orders").sendEncodedMessages(messages);
    const { groups } = await fixture.client.rehearse("orders", { maxMessageCount: 2_000 });
    expect(groups.length).toBe(1_001);
    expect(groups[0]).toMatchObject({ contentType: "(other)", messageCount: 500 });
  });

  it.each<[string, EncodedMessage, string | undefined]>([
    [
      "a string that the SDK wrote",
      { body: encoder.encode('"hello"') },
      'contentTypePolicies: { missing: { assume: "json" } }',
    ],
    [
      "a number that the SDK wrote",
      { body: encoder.encode("5") },
      'contentTypePolicies: { missing: { assume: "json" } }',
    ],
    [
      "JSON with another content type",
      { body: encoder.encode("7"), contentType: "application/x-ours" },
      'contentTypePolicies: { unknown: { assume: "json" } }',
    ],
    [
      "a format of the chain without its content type",
      { body: encoder.encode("1,2") },
      'contentTypePolicies: { missing: { assume: "commas" } }',
    ],
    [
      "a string that the SDK wrote under text/plain, which would arrive with its quotes as text",
      { body: encoder.encode('"hello"'), contentType: "text/plain" },
      'contentTypePolicies: { foreign: { assume: "json" } }',
    ],
    [
      "text/plain",
      { body: encoder.encode("hello"), contentType: "text/plain; charset=utf-8" },
      "additionalDeserializers: [text()]",
    ],
    [
      "JSON under the label of another format",
      { body: encoder.encode('{"n":1}'), contentType: "application/xml" },
      'contentTypePolicies: { foreign: { assume: "json" } }',
    ],
    ["XML", { body: encoder.encode("<n>1</n>"), contentType: "application/xml" }, undefined],
    [
      "bytes",
      { body: Uint8Array.of(0xff, 0), contentType: "application/octet-stream" },
      "additionalDeserializers: [bytes()]",
    ],
    [
      "Avro",
      { body: Uint8Array.of(0xff), contentType: "avro/binary+0123" },
      "additionalDeserializers: [avro()]",
    ],
    [
      "text without a content type",
      { body: encoder.encode("hello there") },
      'additionalDeserializers: [text()], contentTypePolicies: { missing: { assume: "text" } }',
    ],
    [
      "a claim check",
      { body: new Uint8Array(), applicationProperties: { "waybill-claim-check": "k" } },
      undefined,
    ],
    ["damaged JSON", poison("p"), undefined],
    ["noise", { body: Uint8Array.of(0xff, 0xfe) }, undefined],
  ])("suggests an option for %s", async (_, message, suggestion) => {
    await using fixture = await createChain();
    await fixture.client.createSender("orders").sendEncodedMessages(message);
    const { groups } = await fixture.client.rehearse("orders");
    expect(groups.map((each) => each.suggestion)).toEqual([suggestion]);
  });

  it("suggests no serializer that the chain has, when its schema refuses the value", async () => {
    const refused = () => {
      throw new Error("No such order.");
    };
    await using fixture = await createFixture({ client: { serializer: json({ schema: refused }) } });
    await fixture.client.createSender("orders").sendEncodedMessages({ body: encoder.encode('"hello"') });
    const { groups } = await fixture.client.rehearse("orders");
    expect(groups).toMatchObject([{ reason: "ValidationFailed", suggestion: undefined }]);
  });

  it("suggests options for transformed bodies and unknown types", async () => {
    await using fixture = await createChain();
    const key = new Uint8Array(32);
    const keys = { currentKey: () => ({ id: "k", key }), findKey: () => key };
    await fixture.clientWith({ encryption: { keys } }).createSender("orders").sendMessages({ body: 1 });
    expect((await fixture.client.rehearse("orders")).advice).toBe(
      "1 of 1 messages are encrypted: encryption: { keys } may read them; it was not tried, because this client does not have it.",
    );
    await fixture.client.createSender("quarantine").sendMessages({ body: 1 });
    expect((await fixture.clientWith({ encryption: { keys } }).rehearse("quarantine")).advice).toBe(
      "1 of 1 messages are not encrypted: encryption: { keys, allowPlaintext: true } may read them; it was not tried, because this client does not have it.",
    );
  });

  it("advises no serializer with which handlers would get another value than from the SDK", async () => {
    const other: Serializer = {
      ...commas,
      name: "other",
      mediaTypes: ["application/json"],
      deserialize: () => ({ other: true }),
    };
    await using fixture = await createFixture({
      client: { serializer: other, contentTypePolicies: { missing: "reject" } },
    });
    await fixture.client.createSender("orders").sendEncodedMessages({ body: encoder.encode('{"n":1}') });
    const { groups, answer } = await fixture.client.rehearse("orders");
    expect(answer).toBe("contradicted");
    expect(groups).toMatchObject([{ isTried: false }]);
    expect(groups[0]?.suggestion ?? "").not.toContain('"other"');
  });

  it("says that it is not known, and how to learn it, when nothing or little was seen", async () => {
    await using fixture = await createChain();
    expect(await fixture.client.rehearse("orders")).toMatchObject({
      answer: "not-known",
      missing: expect.stringMatching(/^No message was seen, .*: watch live traffic with watchForInMs/),
    });
    const sender = fixture.client.createSender("orders");
    await sender.sendMessages({ body: { n: 1 } });
    expect(await fixture.client.rehearse("orders")).toMatchObject({
      answer: "not-known",
      missing: expect.stringMatching(/^Only 1 of at least 20 messages were seen/),
    });
    await sender.sendMessages(Array.from({ length: 29 }, (_, n) => ({ body: { n } })));
    expect(await fixture.client.rehearse("orders")).toMatchObject({ answer: "proved", missing: undefined });
    expect(await fixture.client.rehearse("orders", { maxMessageCount: 25 })).toMatchObject({
      answer: "not-known",
      missing: "There are more than the 25 messages that were read: raise maxMessageCount.",
    });
  });

  it("reads what arrives while it watches, and says how many of which kind", async () => {
    await using fixture = await createChain();
    const sender = fixture.client.createSender("orders");
    await sender.sendMessages({ body: { n: 1 } });
    let isOver = false;
    const watched = fixture.client.rehearse("orders", { watchForInMs: 5_000 }).finally(() => (isOver = true));
    for (let n = 0; n < 3; n++) {
      await sender.sendMessages({ body: [n], contentType: "application/x-commas" });
      fixture.clock.advance(500);
      await new Promise((resolve) => setImmediate(resolve));
    }
    while (!isOver) {
      fixture.clock.advance(500);
      await new Promise((resolve) => setImmediate(resolve));
    }
    const { messageCount, groups } = await watched;
    expect(messageCount).toBe(4);
    expect(groups.map(({ reader, messageCount: count }) => [reader, count])).toEqual([
      ["commas", 3],
      ["json", 1],
    ]);
  });

  it("quotes a content type that is not a media type, and truncates it", async () => {
    await using fixture = await createChain();
    const contentType = `x/\u0007${"y".repeat(200)}`;
    await fixture.client
      .createSender("orders")
      .sendEncodedMessages({ body: encoder.encode("7"), contentType });
    const { advice } = await fixture.client.rehearse("orders");
    expect(advice).toContain('have the content type "x/\\u0007yyy');
    expect(advice?.length).toBeLessThan(250);
  });
});

function createChain(client: FixtureOptions["client"] = {}): Promise<Fixture> {
  return createFixture({ client: { serializer: json(), additionalDeserializers: [commas], ...client } });
}

function group(
  contentType: string | undefined,
  messageType: string | undefined,
  reader: string | undefined,
  messageCount: number,
  firstSequenceNumber: bigint,
) {
  return {
    contentType,
    messageType,
    reader,
    outcome: "decoded",
    reason: undefined,
    suggestion: undefined,
    messageCount,
    firstSequenceNumber,
  };
}
