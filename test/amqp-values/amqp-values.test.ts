import { ServiceBusClient } from "@azure/service-bus";
import {
  AmqpMap,
  type AmqpValue,
  array,
  char,
  described,
  encodeMessage,
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
import { type Transport, text, WaybillClient } from "@waybill/core";
import { json } from "@waybill/serializer-json";
import { msgpack } from "@waybill/serializer-msgpack";
import { azureTransport } from "@waybill/transport-azure";
import { localTransport } from "@waybill/transport-local";
import { afterAll, describe, expect, it } from "vitest";
import { connectRaw, sendOn } from "../../packages/broker-server/src/raw-client.test-support.js";

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

it("characters and keys that are not strings keep their type, if the transport reports it", async () => {
  const value = stringMap({ grade: char(0x41), byNumber: new AmqpMap([[uint(1), "one"]]) });
  const body = { kind: "value", value } as const;
  const [local] = await exchange(localTransport(broker), { body });
  expect(local?.body).toEqual({ grade: "A", byNumber: new Map([[1, "one"]]) });
  // The SDK returns code points, and maps as objects.
  const [azure] = await exchange(azureTransport(sdk), { body });
  expect(azure?.body).toEqual({ grade: 65, byNumber: { 1: "one" } });
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
  limits: { readonly maxItems?: number; readonly maxDepth?: number } = {},
) {
  const queue = `values-${++queues}`;
  await broker.createQueue(queue);
  const link = await raw.sender(queue);
  await sendOn(link, encodeMessage(message));
  link.detach();
  const client = new WaybillClient(transport, {
    serializer: msgpack(),
    additionalDeserializers: [json(), text()],
    ...limits,
  });
  const receiver = client.createReceiver(queue, { receiveMode: "peekLock" });
  const received = await receiver.receiveMessages(1, { maxWaitTimeInMs: 200 });
  for (const each of received) await receiver.completeMessage(each);
  const dead = await client
    .createReceiver(queue, { subQueueType: "deadLetter" })
    .peekMessages(1, { fromSequenceNumber: 0n });
  expect(received.length + dead.length).toBe(1);
  await client.close();
  return received;
}
