import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { createPipeline, defineMessage, type EncodedMessage, type Pipeline } from "@waybill/core";
import { avro } from "@waybill/serializer-avro";
import { json } from "@waybill/serializer-json";
import { msgpack } from "@waybill/serializer-msgpack";
import { describe, expect, it } from "vitest";
import { openFixture } from "../fixture.test-support.js";
import { captureGoldenMessages, type GoldenCaptureOptions } from "./capture-golden-messages.js";
import { assertGoldenMessages, checkGoldenMessages } from "./check-golden-messages.js";
import { writeGoldenMessages } from "./golden-files.js";

type V1 = { name: string; total: number; status: string };
type V2 = { customer: { name: string }; total: number; status: string };

const v1Schema = {
  type: "object",
  required: ["name", "total", "status"],
  properties: { name: { type: "string" }, total: { type: "number" }, status: { enum: ["open", "paid"] } },
};
const v2Schema = {
  type: "record",
  name: "Order",
  fields: [
    {
      name: "customer",
      type: { type: "record", name: "Customer", fields: [{ name: "name", type: "string" }] },
    },
    { name: "total", type: "double" },
    { name: "status", type: "string" },
  ],
};
const toV2 = ({ name, ...rest }: V1): V2 => ({ customer: { name }, ...rest });

const orderV1 = defineMessage("order", { version: 1, schemas: { 1: { json: v1Schema } } });
const orderV2 = defineMessage("order", {
  version: 2,
  schemas: { 1: { json: v1Schema }, 2: { avro: v2Schema } },
  upcasters: { 1: (body) => toV2(body as V1) },
});
const before = createPipeline({ serializer: json(), messageTypes: [orderV1] });
const now = createPipeline({
  serializer: avro(),
  additionalDeserializers: [json(), msgpack()],
  messageTypes: [orderV2],
});

const asV1 = (body: V1, more: object = {}) =>
  before.serialize({ ...orderV1.message(body), ...more }) as EncodedMessage;
const asV2 = (body: V2) => now.serialize(orderV2.message(body)) as EncodedMessage;
const ada: V1 = { name: "Ada Lovelace", total: 42.5, status: "paid" };

/** A fixture with messages in "orders", and an empty directory for fixtures. */
async function openGolden(messages: readonly EncodedMessage[]) {
  const fixture = openFixture();
  await fixture.broker.createQueue("orders");
  for (const message of messages) await fixture.send("orders", message);
  const directory = await mkdtemp(join(tmpdir(), "waybill-golden-"));
  return {
    ...fixture,
    directory,
    capture: (more: Partial<GoldenCaptureOptions> = {}) =>
      captureGoldenMessages({ ...fixture.source, pipeline: now, keep: ["/status"], ...more }),
    files: async () =>
      (
        await Promise.all((await readdir(directory)).map((file) => readFile(join(directory, file), "utf8")))
      ).join(),
    async [Symbol.asyncDispose]() {
      await fixture[Symbol.asyncDispose]();
      await rm(directory, { recursive: true });
    },
  };
}

describe("capturing golden messages", () => {
  it("takes one sample of each type, version, format and shape, redacted and in its encoded form", async () => {
    await using fixture = await openGolden([
      asV1(ada),
      asV1({ ...ada, name: "Grace Hopper", total: 7 }),
      asV2(toV2(ada)),
    ]);

    const { peeked, messages, skipped } = await fixture.capture();

    expect(peeked).toBe(3);
    expect(skipped).toEqual([]);
    expect(messages).toMatchObject([
      {
        name: expect.stringMatching(/^order\.v1\.json\.[0-9a-f]{8}$/),
        isRedacted: true,
        message: {
          contentType: "application/json",
          subject: "order",
          applicationProperties: { messageVersion: 1 },
        },
        expected: {
          serializer: "json",
          messageType: "order",
          messageVersion: 1,
          valueVersion: 2,
          value: { customer: { name: "Aaa Aaaaaaaa" }, total: 11.1, status: "paid" },
          acceptedBy: ["json"],
        },
      },
      { expected: { serializer: "avro", messageVersion: 2, value: { customer: { name: "Aaa Aaaaaaaa" } } } },
    ]);
    expect(Buffer.from(messages[0]!.message.body).toString()).toBe(
      '{"name":"Aaa Aaaaaaaa","total":11.1,"status":"paid"}',
    );
  });

  it("redacts application properties too, and adds none that the message did not have", async () => {
    const { applicationProperties: _, ...unversioned } = asV1(ada);
    await using fixture = await openGolden([
      { ...unversioned, applicationProperties: { tenant: "Contoso", shard: 7n } },
    ]);
    const { messages } = await fixture.capture();
    expect(messages[0]?.message.applicationProperties).toEqual({ tenant: "Aaaaaaa", shard: 1n });
  });

  it("keeps a property that has the message type, so that the same chain finds nothing", async () => {
    const { subject: _, ...untyped } = asV1(ada);
    await using fixture = await openGolden([
      { ...untyped, applicationProperties: { type: "order", tenant: "Contoso" } },
    ]);
    const { messages } = await fixture.capture();
    expect(messages[0]?.message.applicationProperties).toEqual({ type: "order", tenant: "Aaaaaaa" });
    await writeGoldenMessages(fixture.directory, messages);
    const { failures } = await checkGoldenMessages({ pipeline: now, directory: fixture.directory });
    expect(failures).toEqual([]);
  });

  it("keeps the content encoding of a compressed body in any letter case", async () => {
    const sent = asV1(ada);
    const body = gzipSync(sent.body as Uint8Array);
    for (const name of ["Content-Encoding", "content-encoding"]) {
      const applicationProperties = { ...sent.applicationProperties, [name]: "gzip" };
      await using fixture = await openGolden([{ ...sent, body, applicationProperties }]);
      const { messages, skipped } = await fixture.capture();
      expect(skipped).toEqual([]);
      expect(messages[0]?.message.applicationProperties).toMatchObject({ [name]: "gzip" });
    }
  });

  it("keeps content types unchanged, even wrong and missing ones, because they select the reader", async () => {
    await using fixture = await openGolden([
      { ...asV1(ada), contentType: "application/x-order" },
      { ...asV1(ada), contentType: undefined },
    ]);
    const { messages } = await fixture.capture();
    expect(messages.map(({ message }) => message.contentType)).toEqual(["application/x-order", undefined]);
  });

  it("omits messages whose redacted body the schema refuses, and reports them", async () => {
    await using fixture = await openGolden([asV1(ada)]);
    const { messages, skipped } = await fixture.capture({ keep: [] });
    expect(messages).toEqual([]);
    expect(skipped).toMatchObject([
      { why: "not-redactable", messageType: "order", serializer: "json", count: 1 },
    ]);
    expect(skipped[0]?.detail).toContain("/status");
    expect(skipped[0]?.detail).not.toContain("paid");
  });

  it("accepts a redactor of the caller, and keeps payloads only when `redact` is false", async () => {
    await using fixture = await openGolden([asV1(ada)]);
    const own = await fixture.capture({ redact: (leaf, { path }) => (path === "/name" ? "N. N." : leaf) });
    expect(own.messages[0]?.expected.value).toMatchObject({ customer: { name: "N. N." }, total: 42.5 });
    const raw = await fixture.capture({ redact: false });
    expect(raw.messages[0]).toMatchObject({ isRedacted: false, message: { body: asV1(ada).body } });
  });

  it("counts messages that it cannot sample", async () => {
    await using fixture = await openGolden([
      { body: Uint8Array.of(0xff), subject: "order" },
      { body: { section: "value", value: 1 } },
    ]);
    const { messages, skipped } = await fixture.capture();
    expect(messages).toEqual([]);
    expect(skipped.map(({ why, count }) => [why, count])).toEqual([
      ["undeserializable", 1],
      ["no-serializer", 1],
    ]);
  });

  it("distinguishes up to 1,000 kinds, because producers may invent names without limit", async () => {
    const named = (length: number, body: Uint8Array) =>
      Array.from({ length }, (_, index) => ({
        subject: `kind-${index}`,
        contentType: "application/json",
        body,
      }));
    await using readable = await openGolden(named(1_002, Buffer.from('{"a":1}')));
    const untyped = createPipeline({ serializer: json() });
    expect((await readable.capture({ pipeline: untyped })).messages).toHaveLength(1_000);
  });

  it("writes files without payload, and never overwrites one", async () => {
    await using fixture = await openGolden([asV1(ada), asV2(toV2(ada))]);
    const { messages } = await fixture.capture();
    expect(await writeGoldenMessages(fixture.directory, messages)).toHaveLength(2);
    const text = await fixture.files();
    expect(text).not.toMatch(/Ada|Lovelace|42/);
    expect(await writeGoldenMessages(fixture.directory, messages)).toEqual([]);
    const nowhere = messages.map((golden) => ({ ...golden, name: `no/such/${golden.name}` }));
    await expect(writeGoldenMessages(fixture.directory, nowhere)).rejects.toThrow("ENOENT");
    expect(await fixture.files()).toBe(text);
  });
});

describe("checking golden messages", () => {
  async function openChecked() {
    const fixture = await openGolden([asV1(ada), asV2(toV2(ada))]);
    await writeGoldenMessages(fixture.directory, (await fixture.capture()).messages);
    return fixture;
  }

  it("finds nothing if the chain reads them as before", async () => {
    await using fixture = await openChecked();
    const { directory } = fixture;
    expect(await checkGoldenMessages({ pipeline: now, directory })).toEqual({ checked: 2, failures: [] });
    await assertGoldenMessages({ pipeline: now, directory });
  });

  it("finds lost support: a deserializer that was removed too early", async () => {
    await using fixture = await openChecked();
    const pipeline = createPipeline({ serializer: avro(), messageTypes: [orderV2] });
    const { failures } = await checkGoldenMessages({ pipeline, directory: fixture.directory });
    expect(failures).toMatchObject([
      { kind: "lost-support", name: expect.stringContaining("order.v1.json") },
    ]);
    await expect(assertGoldenMessages({ pipeline, directory: fixture.directory })).rejects.toMatchObject({
      name: "AssertionError",
      message: expect.stringContaining("1 failures in 2 golden messages:\norder.v1.json"),
    });
  });

  it("finds a changed value, by its path and without the value", async () => {
    await using fixture = await openChecked();
    const changed = defineMessage("order", {
      version: 2,
      schemas: { 1: { json: v1Schema }, 2: { avro: v2Schema } },
      upcasters: { 1: (body) => ({ ...toV2(body as V1), total: 0 }) },
    });
    const pipeline = createPipeline({
      serializer: avro(),
      additionalDeserializers: [json()],
      messageTypes: [changed],
    });
    expect((await checkGoldenMessages({ pipeline, directory: fixture.directory })).failures).toEqual([
      { name: expect.stringContaining("v1"), kind: "changed-value", text: "differs at /total." },
    ]);
  });

  it("still passes when a newer version is added: values are compared as of the version captured", async () => {
    await using fixture = await openChecked();
    const third = (isBroken: boolean) =>
      createPipeline({
        serializer: avro(),
        additionalDeserializers: [json()],
        messageTypes: [
          defineMessage("order", {
            version: 3,
            schemas: {
              1: { json: v1Schema },
              2: { avro: v2Schema },
              3: { avro: { ...v2Schema, name: "OrderV3" } },
            },
            upcasters: {
              1: (body) => (isBroken ? { ...toV2(body as V1), status: "open" } : toV2(body as V1)),
              2: (body) => ({ ...(body as V2), total: (body as V2).total * 100 }),
            },
          }),
        ],
      });
    const { directory } = fixture;
    expect((await checkGoldenMessages({ pipeline: third(false), directory })).failures).toEqual([]);
    expect((await checkGoldenMessages({ pipeline: third(true), directory })).failures).toMatchObject([
      { kind: "changed-value", text: "differs at /status." },
    ]);
  });

  it("compares no value if the version captured is passed no more", async () => {
    await using fixture = await openChecked();
    const chainOf = (upcasters: object) =>
      createPipeline({
        serializer: avro(),
        additionalDeserializers: [json()],
        messageTypes: [
          defineMessage("order", {
            version: 3,
            schemas: {
              1: { json: v1Schema },
              2: { avro: v2Schema },
              3: { avro: { ...v2Schema, name: "OrderV3" } },
            },
            upcasters,
          } as never),
        ],
      });
    const check = async (upcasters: object) =>
      (await checkGoldenMessages({ pipeline: chainOf(upcasters), directory: fixture.directory })).failures;
    const same = (body: unknown) => body;
    const directly = {
      1: { to: 3, cast: () => ({ customer: { name: "" }, total: 0, status: "" }) },
      2: same,
    };
    expect(await check(directly)).toEqual([]);
  });

  it("finds a message type that was removed, and one that was added", async () => {
    await using fixture = await openChecked();
    const untyped = createPipeline({ serializer: avro(), additionalDeserializers: [json(), msgpack()] });
    const check = async (pipeline: Pipeline) =>
      (await checkGoldenMessages({ pipeline, directory: fixture.directory })).failures
        .filter(({ name }) => name.includes("json"))
        .map(({ kind, text }) => `${kind}: ${text}`);
    expect(await check(untyped)).toEqual([
      "changed-reader: previously read as json of order version 1, now as json.",
      "changed-value: differs at /customer, /name.",
    ]);
    await using of = await openGolden([asV1(ada)]);
    await writeGoldenMessages(fixture.directory, (await of.capture({ pipeline: untyped })).messages);
    expect(await check(now)).toEqual([
      "changed-reader: previously read as json, now as json of order version 1.",
      "changed-value: differs at /name, /customer.",
    ]);
  });

  it("finds a new ambiguity: another serializer that would also accept the body", async () => {
    await using fixture = await openGolden([{ ...asV1(ada), subject: undefined, applicationProperties: {} }]);
    const pipeline = createPipeline({ serializer: json() });
    await writeGoldenMessages(fixture.directory, (await fixture.capture({ pipeline })).messages);
    const lookalike = {
      ...json(),
      name: "relaxed",
      mediaTypes: ["application/x-relaxed"],
      leadingBytes: [0x7b],
    };
    const chain = createPipeline({
      serializer: lookalike,
      additionalDeserializers: [{ ...json(), leadingBytes: [0x5b] }],
    });
    expect(
      (await checkGoldenMessages({ pipeline: chain, directory: fixture.directory })).failures,
    ).toMatchObject([{ kind: "new-ambiguity", text: "without a content type relaxed would read it now." }]);
  });

  it("refuses a directory without golden messages, and a file that is not one", async () => {
    await using fixture = await openGolden([]);
    const check = () => checkGoldenMessages({ pipeline: now, directory: fixture.directory });
    await expect(check()).rejects.toMatchObject({ code: "configuration-invalid" });
    await writeFile(join(fixture.directory, "a.golden.json"), '{"waybillGolden":1}');
    await expect(check()).rejects.toMatchObject({
      code: "configuration-invalid",
      text: "a.golden.json is not a golden message.",
    });
  });
});
