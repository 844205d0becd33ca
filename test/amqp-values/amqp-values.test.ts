import { readFileSync, writeFileSync } from "node:fs";
import { ServiceBusClient } from "@azure/service-bus";
import {
  AmqpMap,
  type AmqpValue,
  array,
  char,
  described,
  encodeMessage,
  int,
  isTyped,
  long,
  stringMap,
  symbol,
  timestamp,
  uint,
  ulong,
  uuid,
} from "@waybill/amqp";
import { createBroker } from "@waybill/broker";
import { serve } from "@waybill/broker-server";
import { createPipeline, type PipelineOptions, type Transport, text, WaybillClient } from "@waybill/core";
import { json } from "@waybill/serializer-json";
import { msgpack } from "@waybill/serializer-msgpack";
import { azureTransport } from "@waybill/transport-azure";
import { localTransport } from "@waybill/transport-local";
import { afterAll, describe, expect, it } from "vitest";
import { connectRaw, sendOn } from "../../packages/broker-server/src/raw-client.test-support.js";
import { chains, outcomeText, valueRows } from "./value-rows.js";

const broker = createBroker();
const server = await serve(broker, { port: 0, keys: [{ name: "root", key: "secret", rights: ["Manage"] }] });
const sdk = new ServiceBusClient(server.connectionString);
const raw = await connectRaw(server, {
  mechanism: "PLAIN",
  initialResponse: Buffer.from("\0root\0secret"),
});
afterAll(async () => {
  await raw[Symbol.asyncDispose]();
  await sdk.close();
  await server.close();
  await broker.close();
});

const id = "12345678-1234-5678-9abc-def012345678";
const instant = new Date("2026-11-05T12:34:56.789Z");

function octets(type: "decimal32" | "decimal64" | "decimal128", hex: string): AmqpValue {
  return { type, value: new Uint8Array(Buffer.from(hex, "hex")) };
}

/** Value sections of peers, and the values that a handler gets. Decimals are IEEE 754 in binary integer decimal encoding. */
const values: readonly (readonly [name: string, sent: AmqpValue, gets: unknown])[] = [
  ["null", null, null],
  ["a UUID", uuid(id), id],
  ["the largest ulong", ulong(2n ** 64n - 1n), 2n ** 64n - 1n],
  ["the smallest long", long(-(2n ** 63n)), -(2n ** 63n)],
  ["a timestamp", timestamp(instant), instant],
  [
    "a decimal of 128 bits",
    octets("decimal128", "303c000000000000000000000000329d".replace("329d", "32c3")),
    "129.95",
  ],
  ["a decimal of 64 bits", octets("decimal64", "31800000000032c3"), "129.95"],
  ["a decimal of 32 bits", octets("decimal32", "318032c3"), "129.95"],
  ["a negative decimal", octets("decimal128", "b03c00000000000000000000000032c3"), "-129.95"],
  [
    "a map of all types",
    stringMap({
      id: uuid(id),
      at: timestamp(instant),
      price: octets("decimal128", "303c00000000000000000000000032c3"),
      count: ulong(2n ** 63n),
      kind: symbol("order"),
      picture: new Uint8Array(16).fill(7),
      lasts: described(symbol("com.microsoft:timespan"), long(937_840_050_000n)),
      since: described(symbol("com.microsoft:datetime-offset"), long(639_125_000_967_890_000n)),
      link: described(symbol("com.microsoft:uri"), "https://example.com"),
      lines: [stringMap({ sku: "lamp" }), described(symbol("shop:line"), stringMap({ sku: "bulb" }))],
      numbers: array("uint", [uint(1), uint(2)]),
      type: "a member of this name",
    }),
    {
      id,
      at: instant,
      price: "129.95",
      count: 2n ** 63n,
      kind: "order",
      picture: new Uint8Array(16).fill(7),
      lasts: "1.02:03:04.0050000",
      since: new Date((639_125_000_967_890_000 - 621_355_968_000_000_000) / 10_000),
      link: "https://example.com",
      lines: [{ sku: "lamp" }, { sku: "bulb" }],
      numbers: [1, 2],
      type: "a member of this name",
    },
  ],
];

/** Strings, symbols and binary in value sections, as JMS and Qpid send them, by their content type. */
const texts: readonly (readonly [contentType: string | undefined, sent: AmqpValue, gets: unknown])[] = [
  ["application/json", '{"id":9007199254740993}', { id: 9007199254740993n }],
  ["application/json; charset=utf-8", '"hello"', "hello"],
  ["text/plain", "hello", "hello"],
  ["text/plain", symbol("amqp:ok"), "amqp:ok"],
  ["application/json", new TextEncoder().encode('{"id":"in bytes"}'), { id: "in bytes" }],
  [undefined, '{"id":1}', { id: 1 }],
  // {"id": 1, "no": 2} in MessagePack.
  [undefined, Uint8Array.of(0x82, 0xa2, 0x69, 0x64, 1, 0xa2, 0x6e, 0x6f, 2), { id: 1, no: 2 }],
];

const transports: readonly (readonly [string, () => Transport])[] = [
  ["on the local transport", () => localTransport(broker)],
  ["over the official SDK", () => azureTransport(sdk)],
];

/** Maps of a sender that look like what a transport makes of a UUID, a character, a decimal or a described value. */
const lookalikes: readonly (readonly [name: string, map: Readonly<Record<string, AmqpValue>>])[] = [
  ["a UUID", { type: "uuid", value: id }],
  ["a UUID of a rule", { type: "guid", value: id }],
  ["a character", { type: "char", value: "A" }],
  ["a code point", { type: "char", value: int(65) }],
  ["a time span", { type: "timespan", ticks: long(2n ** 60n) }],
  ["a timestamp", { type: "timestamp", value: long(2n ** 60n) }],
  ["a decimal", { type: "decimal32", value: Uint8Array.of(0x31, 0x80, 0x32, 0xc3) }],
  ["a described value", { type: "described", descriptor: "shop:line", value: "x" }],
  ["a symbol", { type: symbol("symbol"), value: "x" }],
  ["a number", { type: "int", value: int(7) }],
  ["an array", { type: "array", elementType: "int", descriptors: [], values: [] }],
  [
    "a value of the SDK's AMQP library",
    { type: stringMap({ typecode: int(0x73) }), value: int(65), descriptor: "x" },
  ],
];

/** A map as a plain object. */
function plain(value: AmqpValue): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (value instanceof AmqpMap)
    return Object.fromEntries(value.entries.map(([key, item]) => [key as string, plain(item)]));
  return isTyped(value) && "value" in value ? value.value : value;
}

describe.each(transports)("%s", (_, open) => {
  it.each(lookalikes)("a map that looks like %s stays a map, also in others", async (_name, fields) => {
    const map = stringMap(fields);
    const value = stringMap({ map, list: [map], lines: stringMap({ type: "order", map }) });
    for (const sent of [map, value]) {
      const [message] = await exchange(open(), { body: { kind: "value", value: sent } });
      expect(message?.body).toEqual(plain(sent));
    }
    const [message] = await exchange(open(), { body: { kind: "sequence", sections: [[map]] } });
    expect(message?.body).toEqual([plain(map)]);
  });

  it("a character is a string, at the root, in a map and in an array", async () => {
    for (const [value, gets] of [
      [char(0x41), "A"],
      [char(0x1f30d), "🌍"],
      [
        stringMap({ grade: char(0x41), grades: array("char", [char(0x42), char(0x43)]) }),
        { grade: "A", grades: ["B", "C"] },
      ],
    ] as const) {
      const [message] = await exchange(open(), { body: { kind: "value", value } });
      expect(message?.body).toEqual(gets);
    }
  });

  it("a key __proto__ is refused", async () => {
    const value = stringMap({ a: "b" });
    const map = new AmqpMap([...value.entries, ["__proto__", stringMap({ isAdmin: true })]]);
    for (const sent of [map, stringMap({ map }), [map]])
      expect(await exchange(open(), { body: { kind: "value", value: sent } })).toEqual([]);
  });

  it("application properties have the same values as over the SDK", async () => {
    const applicationProperties = stringMap({
      id: uuid(id),
      grade: char(0x41),
      lasts: described(symbol("com.microsoft:timespan"), long(600_000_000n)),
      since: described(symbol("com.microsoft:datetime-offset"), long(639_125_000_967_890_000n)),
      kind: symbol("order"),
    });
    const [message] = await exchange(open(), {
      applicationProperties,
      body: { kind: "data", sections: [Buffer.from("{}")] },
    });
    expect(message?.applicationProperties).toEqual({
      id,
      grade: "A",
      lasts: 600_000_000,
      since: 639_125_000_967_890_000n,
      kind: "order",
    });
  });

  it("what was received is the same after it was sent again", async () => {
    const value = stringMap({
      ...Object.fromEntries(lookalikes.map(([name, fields]) => [name, stringMap(fields)])),
      id: uuid(id),
      grade: char(0x41),
      price: octets("decimal128", "303c00000000000000000000000032c3"),
      lasts: described(symbol("com.microsoft:timespan"), long(600_000_000n)),
      at: timestamp(instant),
    });
    const transport = open();
    const queue = `values-${++queues}`;
    await broker.createQueue(queue);
    const link = await raw.sender(queue);
    await sendOn(link, encodeMessage({ body: { kind: "value", value } }));
    link.detach();
    const receiver = transport.createReceiver({ queue }, "receiveAndDelete");
    const [first] = await receiver.receive({ maxMessages: 1, maxWaitTimeInMs: 60_000 });
    await transport.createSender(queue).send([{ body: first!.body }]);
    const [second] = await receiver.receive({ maxMessages: 1, maxWaitTimeInMs: 60_000 });
    expect(second?.body).toEqual(first?.body);
    const pipeline = createPipeline({ serializer: json() });
    const outcomes = await Promise.all([first, second].map((each) => pipeline.deserialize(each!)));
    expect(outcomes[1]).toMatchObject({ status: "decoded", body: (outcomes[0] as { body: unknown }).body });
  });
});

it("keys that are not strings keep their type on the local transport; the SDK makes them strings", async () => {
  const value = stringMap({ byNumber: new AmqpMap([[uint(1), "one"]]) });
  const body = { kind: "value", value } as const;
  const [local] = await exchange(localTransport(broker), { body });
  expect(local?.body).toEqual({ byNumber: new Map([[1, "one"]]) });
  const [azure] = await exchange(azureTransport(sdk), { body });
  expect(azure?.body).toEqual({ byNumber: { 1: "one" } });
});

describe.each(transports)("%s", (_, open) => {
  it.each(values)("%s becomes a plain value", async (_name, sent, gets) => {
    const [message] = await exchange(open(), { body: { kind: "value", value: sent } });
    expect(message?.body).toEqual(gets);
    expect(message?.deserialization).toMatchObject({ section: "value", serializer: undefined });
  });

  it.each(texts)(
    "a body with the content type %s is read like one in a data section: %j",
    async (contentType, sent, gets) => {
      const properties = contentType === undefined ? {} : { properties: { contentType } };
      const [message] = await exchange(open(), { ...properties, body: { kind: "value", value: sent } });
      expect(message?.body).toEqual(gets);
      expect(message?.deserialization.section).toBe("value");
    },
  );

  it("a sequence becomes an array of plain values", async () => {
    const sections = [[uuid(id), ulong(2n ** 64n - 1n), symbol("a"), timestamp(instant)]];
    const [message] = await exchange(open(), { body: { kind: "sequence", sections } });
    expect(message?.body).toEqual([id, 2n ** 64n - 1n, "a", instant]);
    expect(message?.deserialization.section).toBe("sequence");
  });

  it.each<[string | undefined, AmqpValue]>([
    ["application/json", '{"id":'],
    ["application/xml", "<order/>"],
    [undefined, "hello"],
    [undefined, new Uint8Array(16).fill(7)],
  ])("a body that is not of the content type %s is dead-lettered: %j", async (contentType, value) => {
    const properties = contentType === undefined ? {} : { contentType };
    expect(await exchange(open(), { properties, body: { kind: "value", value } })).toEqual([]);
  });

  it("reads the rows of docs/deserialization.md as they say", async () => {
    const rows: string[] = [];
    for (const { name, body, contentType, applicationProperties, chain, gets } of valueRows) {
      const [message] = await exchange(
        open(),
        {
          body,
          ...(contentType === undefined ? {} : { properties: { contentType } }),
          ...(applicationProperties && { applicationProperties: stringMap(applicationProperties) }),
        },
        chains[chain],
      );
      expect(message && { body: message.body }, `${name}, ${contentType}, ${chain}`).toEqual(gets);
      if (message !== undefined) expect(message.deserialization.section).toBe(body.kind);
      const label = contentType === undefined ? "none" : `\`${contentType}\``;
      rows.push(`| ${name} | ${label} | ${chain} | ${outcomeText(message)} |`);
    }
    expectGenerated(
      `| in a value or sequence section | content type | chain | outcome |\n| --- | --- | --- | --- |\n${rows.join("\n")}\n`,
    );
  });

  it("a graph beyond the limits is dead-lettered", async () => {
    const list = Array.from({ length: 200 }, (_each, index) => index);
    expect(await exchange(open(), { body: { kind: "value", value: list } }, { maxItems: 100 })).toEqual([]);
    const deep = stringMap({ a: stringMap({ b: stringMap({ c: [] }) }) });
    expect(await exchange(open(), { body: { kind: "value", value: deep } }, { maxDepth: 3 })).toEqual([]);
  });
});

let queues = 0;

/** Sends a message unchanged, and receives it with a client. */
async function exchange(
  transport: Transport,
  message: Parameters<typeof encodeMessage>[0],
  options: Partial<PipelineOptions> = {},
) {
  const queue = `values-${++queues}`;
  await broker.createQueue(queue);
  const link = await raw.sender(queue);
  await sendOn(link, encodeMessage(message));
  link.detach();
  const client = new WaybillClient(transport, {
    serializer: msgpack(),
    additionalDeserializers: options.serializer === undefined ? [json(), text()] : [],
    ...options,
  });
  const receiver = client.createReceiver(queue, { receiveMode: "peekLock" });
  const waiting = new AbortController();
  let isEnded = false;
  const receiving = receiver
    .receiveMessages(1, { abortSignal: waiting.signal })
    .catch((error) => (waiting.signal.aborted ? [] : Promise.reject(error)))
    .finally(() => {
      isEnded = true;
    });
  const isDead = () => broker.getEntity(queue).deadLetterMessageCount > 0;
  await expect.poll(() => isEnded || isDead(), { interval: 2 }).toBe(true);
  // Nothing else is in the queue: waiting for a message would only take time.
  if (isDead()) waiting.abort();
  const received = await receiving;
  for (const each of received) await receiver.completeMessage(each);
  const dead = await client
    .createReceiver(queue, { subQueueType: "deadLetter" })
    .peekMessages(1, { fromSequenceNumber: 0n });
  expect(received.length + dead.length).toBe(1);
  await client.close();
  return received;
}

function expectGenerated(table: string): void {
  const page = new URL("../../docs/deserialization.md", import.meta.url);
  const text = readFileSync(page, "utf8");
  const [start, end] = [
    "<!-- amqp-values: generated, `UPDATE_DOCS=1 pnpm test` -->\n",
    "<!-- amqp-values: end -->",
  ];
  const updated = text.slice(0, text.indexOf(start) + start.length) + table + text.slice(text.indexOf(end));
  if (process.env.UPDATE_DOCS === "1") writeFileSync(page, updated);
  expect(readFileSync(page, "utf8")).toBe(updated);
}
