import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  createPipeline,
  defineMessage,
  type EncodedMessage,
  type Pipeline,
  WaybillError,
} from "@waybill/core";
import type { DeliveredMessage } from "@waybill/core/transport";
import { json } from "@waybill/serializer-json";
import { msgpack } from "@waybill/serializer-msgpack";
import { describe, expect, it } from "vitest";
import { openFixture, replaced } from "../fixture.test-support.js";
import { captureGoldenMessage, captureGoldenMessages } from "./capture-golden-messages.js";
import { checkGoldenMessages } from "./check-golden-messages.js";
import { differingPaths } from "./differing-paths.js";
import { formatGoldenMessage, readGoldenMessages, writeGoldenMessages } from "./golden-files.js";

const pipeline = createPipeline({ serializer: json(), additionalDeserializers: [msgpack()] });
const written = (body: unknown, more: object = {}) =>
  ({ ...(pipeline.serialize({ body }) as EncodedMessage), ...more }) as EncodedMessage;

/** Messages as they are peeked. */
async function delivered(...messages: readonly EncodedMessage[]): Promise<DeliveredMessage[]> {
  await using fixture = openFixture();
  await fixture.broker.createQueue("orders");
  for (const message of messages) await fixture.send("orders", message);
  return await fixture.transport.createReceiver({ queue: "orders" }, "peekLock").peek({ maxMessages: 99 });
}

async function captured(messages: readonly EncodedMessage[], more: object = {}) {
  await using fixture = openFixture();
  await fixture.broker.createQueue("orders");
  for (const message of messages) await fixture.send("orders", message);
  const before = fixture.leftOpen();
  const capture = await captureGoldenMessages({ ...fixture.source, pipeline, ...more });
  expect(fixture.leftOpen()).toEqual(before);
  return capture;
}

describe("the samples of golden messages", () => {
  it("are three of different shape for each kind, or as many as are wanted", async () => {
    const messages = [{ a: 1 }, { a: 2 }, { b: 1 }, { c: 1 }, { d: 1 }].map((body) => written(body));
    expect((await captured(messages)).messages).toHaveLength(3);
    expect((await captured(messages, { samplesPerKind: 4 })).messages).toHaveLength(4);
    const progress: number[] = [];
    const { peeked } = await captured(messages, {
      maxMessagesPerPlace: 2,
      onProgress: (n: number) => progress.push(n),
    });
    expect([peeked, progress]).toEqual([2, [2]]);
  });

  it("are of another kind for another content type", async () => {
    const messages = [written({ a: 1 }), written({ a: 1 }, { contentType: undefined })];
    expect((await captured(messages)).messages).toHaveLength(2);
  });

  it("are named after their type, or subject, version and serializer", async () => {
    const noted = defineMessage("noted/long", { version: 1 });
    const typed = createPipeline({
      serializer: json(),
      messageTypes: [noted],
      messageTypePolicies: { unknown: "pass" },
    });
    const { messages } = await captured(
      [
        typed.serialize(noted.message({ a: 1 })) as EncodedMessage,
        written({ a: 1 }, { subject: "s".repeat(65) }),
        written({ a: 1 }, { subject: undefined }),
      ],
      { pipeline: typed },
    );
    expect(messages.map(({ name }) => name.replace(/\.[0-9a-f]{8}$/, ""))).toEqual([
      "noted_long.v1.json",
      `${"s".repeat(64)}.json`,
      "untyped.json",
    ]);
  });

  it("have none of the properties that dead-lettering and repairs add", async () => {
    const properties = { DeadLetterReason: "Test", "waybill-resubmits": 2, tenant: "a" };
    for (const redact of [false, undefined] as const) {
      const { messages } = await captured([written({ a: 1 }, { applicationProperties: properties })], {
        redact,
      });
      expect(messages[0]?.message.applicationProperties).toEqual({ tenant: "a" });
    }
  });

  it("leave out what has no body, is an AMQP value, or cannot be read, and say how many there were", async () => {
    const { messages, skipped } = await captured([
      { body: new Uint8Array() },
      { body: new Uint8Array() },
      { body: { section: "value", value: 7 }, subject: "value" },
      { body: Uint8Array.of(0xff) },
      { body: Uint8Array.of(0xff) },
    ]);
    expect(messages).toEqual([]);
    expect(skipped).toEqual([
      {
        ...{ why: "no-serializer", messageType: undefined, messageVersion: undefined, serializer: undefined },
        ...{ detail: "It has no body.", count: 3 },
      },
      {
        ...{
          why: "undeserializable",
          messageType: undefined,
          messageVersion: undefined,
          serializer: undefined,
        },
        ...{ detail: expect.stringContaining("."), count: 2 },
      },
    ]);
    const [value] = await delivered({ body: { section: "value", value: 7 } });
    expect(await captureGoldenMessage(value ?? expect.fail(), { pipeline })).toMatchObject({
      messages: [],
      skipped: [{ detail: "Its body is an AMQP value." }],
    });
  });

  it("may be of one message that was peeked or received", async () => {
    const [message] = await delivered(written({ name: "Ada" }));
    const { messages, skipped } = await captureGoldenMessage(message ?? expect.fail(), { pipeline });
    expect([messages.length, skipped]).toEqual([1, []]);
    expect(messages[0]?.expected.value).toEqual({ name: "Aaa" });
  });

  it("reject for a mistake in a redactor", async () => {
    const redact = () => {
      throw new RangeError("mistake");
    };
    await expect(captured([written({ a: 1 })], { redact })).rejects.toThrow(RangeError);
  });

  it("are read in no sub-queue that the transport does not have", async () => {
    await using fixture = openFixture();
    await fixture.broker.createQueue("orders");
    await fixture.send("orders", written({ a: 1 }));
    const failing = (error: Error) =>
      replaced(fixture.transport, {
        createReceiver(address, mode) {
          const receiver = fixture.transport.createReceiver(address, mode);
          const peek = () => Promise.reject(error);
          return address.subQueue === undefined ? receiver : replaced(receiver, { peek });
        },
      });
    const capture = (error: Error) =>
      captureGoldenMessages({ ...fixture.source, transport: failing(error), pipeline });
    expect(await capture(new WaybillError("not-supported", "No such sub-queue."))).toMatchObject({
      peeked: 1,
    });
    const closed = new WaybillError("closed", "The transport is closed.");
    await expect(capture(closed)).rejects.toBe(closed);
    const mistake = new Error("not-supported");
    await expect(capture(mistake)).rejects.toBe(mistake);
    expect(fixture.leftOpen().filter((name) => name.startsWith("receiver"))).toEqual([]);
  });
});

describe("what a check of golden messages finds", () => {
  async function openDirectory() {
    const parent = await mkdtemp(join(tmpdir(), "waybill-golden-"));
    return {
      directory: join(parent, "deep", "golden"),
      [Symbol.asyncDispose]: () => rm(parent, { recursive: true }),
    };
  }
  const noted = (version: number, more: object = {}) =>
    defineMessage("noted", {
      version,
      ...(version > 1 && { upcasters: { 1: (body: unknown) => body } }),
      ...more,
    } as never);
  const chain = (types: readonly unknown[], more: object = {}) =>
    createPipeline({ serializer: json(), messageTypes: types as Pipeline["messageTypes"], ...more });

  /** The failures of today's chain, for one message of an earlier one. */
  async function failures(before: Pipeline, now: Pipeline, message: EncodedMessage) {
    await using place = await openDirectory();
    const { messages } = await captured([message], { pipeline: before, redact: false });
    await writeGoldenMessages(place.directory, messages);
    const result = await checkGoldenMessages({ pipeline: now, directory: place.directory });
    return result.failures.map(({ kind, text }) => `${kind}: ${text}`);
  }

  const typed = chain([noted(1)]).serialize({ subject: "noted", body: { a: 1 } }) as EncodedMessage;

  it("is nothing for the same chain, and for a new version", async () => {
    expect(await failures(chain([noted(1)]), chain([noted(1)]), typed)).toEqual([]);
    expect(await failures(chain([noted(1)]), chain([noted(2)]), typed)).toEqual([]);
  });

  it("is another reader, type or version", async () => {
    const untypedChain = chain([]);
    expect(await failures(untypedChain, chain([noted(1)]), typed)).toEqual([
      "changed-reader: previously read as json, now as json of noted version 1.",
    ]);
    const twin = { ...json(), name: "twin" };
    expect(await failures(untypedChain, createPipeline({ serializer: twin }), typed)).toEqual([
      "changed-reader: previously read as json, now as twin.",
      "new-ambiguity: without a content type twin would read it now.",
    ]);
    expect(
      await failures(chain([noted(1)]), chain([{ ...noted(1), name: "note", aliases: ["noted"] }]), typed),
    ).toEqual(["changed-reader: previously read as json of noted version 1, now as json of note version 1."]);
  });

  it("is what is lost or cannot be fetched", async () => {
    const refusing = chain([noted(1, { schemas: { 1: { json: { type: "string" } } } })]);
    const [lost] = await failures(chain([noted(1)]), refusing, typed);
    expect(lost).toMatch(/^lost-support: /);
    const now = chain([noted(1)]);
    const error = new WaybillError("connection-lost", "The registry cannot be reached.");
    const deserialize = (() => ({ status: "unavailable", error, report: { attempts: [] } })) as never;
    expect(await failures(now, { ...now, deserialize }, typed)).toEqual([
      "lost-support: The registry cannot be reached.",
    ]);
  });

  it("names ten places at most", () => {
    const many = Object.fromEntries(Array.from({ length: 11 }, (_, index) => [`k${index}`, index]));
    expect(differingPaths(many, {})).toHaveLength(10);
    expect(differingPaths({ a: [1] }, { a: { 0: 1 } })).toEqual(["/a"]);
    expect(differingPaths({ a: 1 }, 7)).toEqual(["(root)"]);
    expect(differingPaths(7, { a: 1 })).toEqual(["(root)"]);
    expect(differingPaths({}, JSON.parse('{"__proto__":{}}'))).toEqual(["/__proto__"]);
  });

  it("needs files that can be read", async () => {
    await using place = await openDirectory();
    const { directory } = place;
    await expect(readGoldenMessages(directory)).rejects.toMatchObject({
      code: "configuration-invalid",
      text: `there is no directory ${directory}.`,
    });
    const { messages } = await captured([
      written({ text: "\uFEFFa" }),
      { ...written({ b: 1 }), contentType: undefined },
    ]);
    const [golden] = messages;
    await writeGoldenMessages(directory, messages);
    expect(await readGoldenMessages(directory)).toEqual(
      messages.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    );
    const text = formatGoldenMessage(golden ?? expect.fail());
    expect(text.split("\n")[1]).toBe('  "waybillGolden": 1,');
    const file = JSON.parse(text) as Record<string, object>;
    for (const damaged of [
      { ...file, waybillGolden: 2 },
      { ...file, message: { ...file.message, body: {} } },
      { ...file, expected: { ...file.expected, serializer: 7 } },
      { ...file, expected: { ...file.expected, acceptedBy: "json" } },
    ]) {
      await writeFile(join(directory, "x.golden.json"), JSON.stringify(damaged));
      await expect(readGoldenMessages(directory)).rejects.toMatchObject({
        text: "x.golden.json is not a golden message.",
      });
    }
    const blocked = join(directory, "x.golden.json");
    await expect(writeGoldenMessages(join(blocked, "inside"), messages)).rejects.toThrow("ENOTDIR");
  });
});
