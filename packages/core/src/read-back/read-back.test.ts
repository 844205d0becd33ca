import { json } from "@waybill/serializer-json";
import { msgpack } from "@waybill/serializer-msgpack";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createFixture } from "../../test/fixture.js";
import type { Serializer } from "../contracts/serializer.js";
import { unavailableFailure } from "../errors/failure.js";
import { bodyType, defineMessage } from "../message-types/define-message.js";
import { createPipeline } from "../pipeline/pipeline.js";
import { plainJson } from "../plain-json.test-support.js";
import { resolveReadBackOptions } from "./read-back-options.js";
import { ReadBackSample, ReadBackSampling } from "./read-back-sampling.js";

const meeting = defineMessage("meeting", { version: 1, schemas: { 1: z.object({ at: z.date() }) } });
const at = new Date(0);

describe("a body that its readers could not read", () => {
  it("is refused before it is sent, with type, entity, format, stage and path", async () => {
    await using fixture = await createFixture();
    const client = fixture.clientWith({ serializer: json(), messageTypes: [meeting] });
    const sender = client.createSender("orders");
    await expect(sender.sendMessages(meeting.message({ at }, { messageId: "m-1" }))).rejects.toThrow(
      '[serialization-failed] message "m-1", entity "orders", json, validate: The message cannot be sent, so nothing was. ' +
        '"meeting" version 1 was written, but a reader could not read it: The body breaks its schema at "/at".',
    );
    expect(await client.createReceiver("orders").peekMessages(1)).toEqual([]);
  });

  it("is refused by every sender, batch and schedule", async () => {
    await using fixture = await createFixture();
    const client = fixture.clientWith({ serializer: json(), messageTypes: [meeting] });
    const sender = client.createSender("orders");
    const message = meeting.message({ at });
    const batch = await sender.createMessageBatch();
    const doors = [
      async () => sender.scheduleMessages(message, new Date(9e12)),
      async () => batch.tryAddMessage(message),
      async () => batch.tryAddMessageAsync(message),
      async () => client.request("orders", { ...message, replyTo: "quarantine" }),
    ];
    for (const send of doors) await expect(send()).rejects.toThrow('"meeting" version 1 was written');
  });

  it("is sent in a format that keeps the value", async () => {
    await using fixture = await createFixture();
    const client = fixture.clientWith({ serializer: msgpack(), messageTypes: [meeting] });
    await client.createSender("orders").sendMessages(meeting.message({ at }));
    expect(await client.createReceiver("orders").receiveMessages(1)).toMatchObject([{ body: { at } }]);
  });

  it("is refused by the schema of the pipeline, too", () => {
    const pipeline = createPipeline({ serializer: json(), schema: z.object({ at: z.date() }) });
    expect(() => pipeline.serialize({ body: { at } })).toThrow(
      'The body was written, but a reader could not read it: The body breaks its schema at "/at".',
    );
  });

  it("is refused in the version that a downcaster wrote", () => {
    const type = defineMessage("order", {
      version: 2,
      schemas: { 1: bodyType<{ total?: string }>(), 2: z.object({ cents: z.number().int() }) },
      upcasters: { 1: ({ total }) => ({ cents: Number(total) * 100 }) },
      downcasters: { 2: () => ({}) },
    });
    const pipeline = createPipeline({ serializer: json(), messageTypes: [type] });
    const message = type.message({ cents: 1200 });
    expect(pipeline.serialize(message)).toMatchObject({ applicationProperties: { messageVersion: 2 } });
    expect(() => pipeline.serialize(message, { writeAs: { version: 1 } })).toThrow(
      'upcast: "order" version 1 was written, but a reader could not read it: Upcast to version 2, the body does not fit: The body breaks its schema at "/cents"',
    );
  });

  it("is refused if the message would be read as another version", () => {
    const type = defineMessage("order", {
      version: 2,
      schemas: { 1: {}, 2: {} },
      upcasters: { 1: (body) => body },
    });
    const resolver = {
      identify: ({ subject }: { subject?: string | undefined }) => ({
        messageType: subject ?? "",
        version: undefined,
      }),
      stamp: () => ({}),
    };
    const pipeline = createPipeline({
      serializer: json(),
      messageTypes: [type],
      messageTypeResolver: resolver,
    });
    expect(() => pipeline.serialize(type.message({}))).toThrow(
      'select: "order" version 2 was written, but a reader would read it as "order" version 1.',
    );
    const silent = createPipeline({
      serializer: json(),
      messageTypes: [type],
      messageTypeResolver: { identify: () => undefined, stamp: () => ({}) },
    });
    expect(() => silent.serialize(type.message({}))).toThrow("a reader would read it as untyped.");
  });
});

describe("reading back", () => {
  it("leaves policies for arriving messages aside when the message has no type", () => {
    const pipeline = createPipeline({
      serializer: json(),
      messageTypes: [meeting],
      messageTypePolicies: { missing: "reject" },
    });
    expect(pipeline.serialize({ body: 1 })).toMatchObject({ contentType: "application/json" });
  });

  it("happens before encryption and the claim check, and after compression", async () => {
    let stored = 0;
    const pipeline = createPipeline({
      serializer: json(),
      messageTypes: [meeting],
      compression: { coding: "gzip", minBytes: 1 },
      claimCheck: {
        minBytes: 1,
        store: {
          put: async () => {
            stored++;
          },
          get: async () => expect.unreachable("Nothing is fetched."),
          delete: async () => {},
        },
      },
    });
    await pipeline.serialize({ body: "x".repeat(100) });
    expect(stored).toBe(1);
    expect(() => pipeline.serialize(meeting.message({ at }))).toThrow("could not read it");
    expect(stored).toBe(1);
  });

  it("waits for an asynchronous upcaster, except in tryAddMessage", async () => {
    const type = defineMessage("order", {
      version: 2,
      schemas: { 1: bodyType<{ total: number }>(), 2: z.object({ cents: z.number().int() }) },
      upcasters: { 1: async ({ total }) => ({ cents: total * 100 }) },
      downcasters: { 2: ({ cents }) => ({ total: cents / 100 }) },
    });
    const pipeline = createPipeline({ serializer: json(), messageTypes: [type] });
    const writeAs = { version: 1 };
    await expect(pipeline.serialize(type.message({ cents: 1234 }), { writeAs })).resolves.toMatchObject({
      applicationProperties: { messageVersion: 1 },
    });
    await using fixture = await createFixture();
    const old: typeof pipeline = {
      ...pipeline,
      serialize: (message, call) => pipeline.serialize(message, { ...call, writeAs }),
    };
    const sender = fixture.clientWith({ pipeline: old } as never).createSender("orders");
    const batch = await sender.createMessageBatch();
    expect(batch.tryAddMessage(type.message({ cents: 100 }))).toBe(true);
    expect(batch.count).toBe(1);
  });

  it("does not fail a send because something is unavailable, unless the call asks for it", () => {
    let isDown = true;
    let reads = 0;
    const serializer = {
      ...plainJson,
      deserialize: () => {
        reads++;
        if (isDown) throw unavailableFailure("The registry does not answer.");
        return 1;
      },
    };
    const pipeline = createPipeline({ serializer, readBack: { first: 1, sampleRate: 0.5 } });
    pipeline.serialize({ body: 1 });
    expect(() => pipeline.serialize({ body: 1, messageId: "m" }, { readBack: true })).toThrow(
      '[unavailable] message "m", text, decode: The registry does not answer.',
    );
    expect(reads).toBe(2);
    isDown = false;
    // It is tried again at its turn in the sample, and is still the first.
    for (let n = 0; n < 3; n++) pipeline.serialize({ body: 1 });
    expect(reads).toBeGreaterThan(2);
  });

  it("reads the first messages of each type, version and format, and then a sample", () => {
    const counts = new Map<string, number>();
    const counting = (name: string, mediaType: string): Serializer => ({
      name,
      detection: "label",
      mediaTypes: [mediaType],
      serialize: plainJson.serialize,
      deserialize: (bytes, { messageType, messageVersion }) => {
        const key = [name, messageType, messageVersion].join(" ");
        counts.set(key, (counts.get(key) ?? 0) + 1);
        return JSON.parse(new TextDecoder().decode(bytes)) as unknown;
      },
    });
    const type = defineMessage("a", {
      version: 2,
      schemas: { 1: {}, 2: {} },
      upcasters: { 1: (body) => body },
      downcasters: { 2: (body) => body },
    });
    const pipeline = createPipeline({
      serializer: counting("one", "application/one"),
      additionalDeserializers: [counting("two", "application/two")],
      messageTypes: [type],
      readBack: { first: 3, sampleRate: 0 },
    });
    for (let n = 0; n < 20; n++) {
      pipeline.serialize(type.message({}));
      pipeline.serialize(type.message({}), { writeAs: { version: 1 } });
      pipeline.serialize(type.message({}), { writeAs: { serializer: "two" } });
      pipeline.serialize({ body: {} });
    }
    expect(Object.fromEntries(counts)).toEqual({
      "one a 2": 3,
      "one a 1": 3,
      "two a 2": 3,
      "one  ": 3,
    });
    pipeline.serialize(type.message({}), { readBack: true });
    expect(counts.get("one a 2")).toBe(4);
  });

  it("reads the first ten, and then one in five hundred, unless told otherwise", () => {
    let reads = 0;
    const deserialize: Serializer["deserialize"] = (bytes, context) => {
      reads++;
      return plainJson.deserialize(bytes, context);
    };
    const pipeline = createPipeline({ serializer: { ...plainJson, deserialize } });
    for (let n = 0; n < 10; n++) pipeline.serialize({ body: { n } });
    expect(reads).toBe(10);
    expect(resolveReadBackOptions().sampleRate).toBe(1 / 500);
  });

  it("can be switched off, for a pipeline and for a call", () => {
    const off = createPipeline({ serializer: json(), messageTypes: [meeting], readBack: false });
    expect(off.serialize(meeting.message({ at }))).toMatchObject({ subject: "meeting" });
    expect(() => off.serialize(meeting.message({ at }), { readBack: true })).toThrow("could not read it");
    const on = createPipeline({ serializer: json(), messageTypes: [meeting] });
    expect(on.serialize(meeting.message({ at }), { readBack: false })).toMatchObject({ subject: "meeting" });
  });

  it.each([
    [{ first: -1 }, "readBack.first must be an integer of 0 or more; got -1."],
    [{ first: 0.5 }, "readBack.first must be"],
    [{ sampleRate: 1.1 }, "readBack.sampleRate must be a number from 0 to 1; got 1.1."],
    [{ sampleRate: -0.1 }, "readBack.sampleRate must be"],
    [{ sampleRate: "1" as never }, "got a string"],
    [{ rate: 1 } as never, 'there is no option "rate"'],
  ])("refuses %j", (readBack, text) => {
    expect(() => createPipeline({ serializer: json(), readBack })).toThrow(text);
  });
});

describe("a sample", () => {
  /** For each of many bodies whether it is read back. */
  function drawn(first: number, sampleRate: number, bytes = 1): boolean[] {
    const sample = new ReadBackSample({ first, sampleRate });
    return Array.from({ length: 10_000 }, () => {
      const isDue = sample.isDue(bytes);
      if (isDue) sample.succeeded();
      return isDue;
    });
  }

  it.each([0.5, 0.1, 0.01])(
    "contains about %d of the later bodies, never at longer distances than twice the mean",
    (rate) => {
      const due = drawn(0, rate);
      expect(due.filter(Boolean).length / due.length).toBeGreaterThan(rate / 2);
      let distance = 0;
      for (const isDue of due) {
        distance = isDue ? 0 : distance + 1;
        expect(distance).toBeLessThan(2 / rate);
      }
    },
  );

  it("contains all bodies, or only the first", () => {
    expect(drawn(0, 1).every(Boolean)).toBe(true);
    expect(drawn(4, 0).map(Number).join("")).toMatch(/^11110+$/);
    expect(drawn(0, 0).some(Boolean)).toBe(false);
  });

  it("contains large bodies only among the first", () => {
    expect(drawn(2, 1, 1024 * 1024).filter(Boolean)).toHaveLength(10_000);
    expect(drawn(2, 1, 1024 * 1024 + 1).filter(Boolean)).toHaveLength(2);
  });

  it("postpones the first bodies during an outage, and returns to them after it", () => {
    const sample = new ReadBackSample({ first: 2, sampleRate: 0.5 });
    expect(sample.isDue(1)).toBe(true);
    sample.postpone();
    const due = Array.from({ length: 100 }, () => sample.isDue(2 * 1024 * 1024)).filter(Boolean);
    expect(due.length).toBeGreaterThan(30);
    expect(due.length).toBeLessThan(100);
    sample.succeeded();
    expect(sample.isDue(1)).toBe(true);
  });

  it("belongs to one version and one format", () => {
    const sampling = new ReadBackSampling({ first: 1, sampleRate: 0 });
    const [one, other] = [{}, {}];
    expect(sampling.of(one, "json")).toBe(sampling.of(one, "json"));
    const distinct = [
      sampling.of(one, "json"),
      sampling.of(one, "avro"),
      sampling.of(other, "json"),
      sampling.of(undefined, "json"),
    ];
    expect(new Set(distinct).size).toBe(4);
  });
});
