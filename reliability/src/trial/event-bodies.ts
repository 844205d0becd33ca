import { isDeepStrictEqual } from "node:util";
import type { ServiceBusMessage, ServiceBusReceivedMessage } from "@azure/service-bus";

type AmqpAnnotatedMessage = ServiceBusReceivedMessage["_rawAmqpMessage"];

/** One kind of body that programs on the official SDK send, and what its receiver makes of it. */
interface EventBody {
  /** The message of a number, without its id. */
  readonly message: (
    number: number,
  ) => Omit<ServiceBusMessage, "messageId"> | Omit<AmqpAnnotatedMessage, "properties"> | AmqpAnnotatedMessage;
  /** The body that handlers get. */
  readonly received: (number: number) => unknown;
}

const utf8 = (text: string) => Buffer.from(text);

/** A body that the SDK writes as JSON, and that is received as it was sent. */
function json(
  value: (number: number) => unknown,
  properties: Omit<ServiceBusMessage, "body"> = {},
): EventBody {
  return { message: (number) => ({ ...properties, body: value(number) }), received: value };
}

function bytes(
  content: (number: number) => Uint8Array,
  received: (number: number) => unknown,
  contentType?: string,
): EventBody {
  return { message: (number) => ({ body: content(number), ...(contentType && { contentType }) }), received };
}

/** A body that `JSON.stringify` changes. */
function changed(value: (number: number) => unknown, received: (number: number) => unknown): EventBody {
  return { message: (number) => ({ body: value(number) }), received };
}

function section(bodyType: "value" | "sequence", value: (number: number) => unknown): EventBody {
  return {
    message: (number) => ({ bodyType, body: value(number) }) as AmqpAnnotatedMessage,
    received: value,
  };
}

const event = (number: number) => ({
  number,
  text: `événement ${number} ✓`,
  nested: { list: [1, "2", null, { three: 3.5 }] },
});

/** Every kind of body of the SDK: what `JSON.stringify` writes, with and without content types, bytes, and AMQP's own types. */
const kinds = {
  object: json(event),
  "object-labelled": json(event, { contentType: "application/json" }),
  "object-vendor": json(event, { contentType: "application/vnd.shop.event+json; charset=utf-8" }),
  "object-unknown-label": json(event, { contentType: "application/x-event" }),
  "empty-object": json(() => ({})),
  array: json((number) => [number, "two", { three: 3 }]),
  "empty-array": json(() => []),
  string: json((number) => `text ${number}`),
  "string-plain": json((number) => `text ${number}`, { contentType: "text/plain" }),
  "empty-string": json(() => ""),
  "string-of-digits": json((number) => String(number)),
  number: json((number) => number),
  fraction: json((number) => number + 0.25),
  negative: json((number) => -number),
  true: json(() => true),
  false: json(() => false),
  null: json(() => null),
  "lone-surrogate": json((number) => `\ud83d ${number}`),
  undefined: changed(
    () => undefined,
    () => null,
  ),
  "not-a-number": changed(
    () => Number.NaN,
    () => null,
  ),
  map: changed(
    (number) => new Map([[number, "one"]]),
    () => ({}),
  ),
  "undefined-field": changed(
    (number) => ({ number, absent: undefined }),
    (number) => ({ number }),
  ),
  date: changed(
    (number) => ({ at: new Date(1_700_000_000_000 + number) }),
    (number) => ({ at: new Date(1_700_000_000_000 + number).toISOString() }),
  ),
  "json-bytes": bytes((number) => utf8(JSON.stringify(event(number))), event),
  "json-bytes-labelled": bytes((number) => utf8(JSON.stringify(event(number))), event, "application/json"),
  "rounded-integer": bytes(
    () => utf8('{"n":9007199254740993}'),
    () => ({ n: 9007199254740992 }),
  ),
  "json-with-bom": bytes(
    (number) => utf8(`\ufeff[${number}]`),
    (number) => utf8(`\ufeff[${number}]`),
  ),
  "json-not-utf8": bytes(
    () => Buffer.of(0x22, 0xff, 0x22),
    () => "\ufffd",
  ),
  "encoded-json": {
    message: (number) =>
      ({
        bodyType: "data",
        body: utf8(JSON.stringify(event(number))),
        properties: { contentType: "application/json", contentEncoding: "gzip" },
      }) as AmqpAnnotatedMessage,
    received: event,
  },
  "unsigned-bytes": bytes(
    (number) => new Uint8Array([0xfe, number & 0xff]),
    (number) => Buffer.of(0xfe, number & 0xff),
  ),
  "binary-bytes": bytes(
    (number) => Buffer.of(0xff, 0xfe, number & 0xff),
    (number) => Buffer.of(0xff, 0xfe, number & 0xff),
  ),
  "text-bytes": bytes(
    (number) => utf8(`plain text ${number}`),
    (number) => utf8(`plain text ${number}`),
  ),
  "empty-bytes": bytes(
    () => Buffer.alloc(0),
    () => Buffer.alloc(0),
  ),
  "value-string": section("value", (number) => `value ${number}`),
  "value-number": section("value", (number) => number),
  "value-true": section("value", () => true),
  "value-fraction": section("value", (number) => number + 0.5),
  "value-map": section("value", (number) => ({ number, name: "value" })),
  "value-list": section("value", (number) => [number, "value"]),
  sequence: section("sequence", (number) => [[number, "sequence"]]),
} as const satisfies Readonly<Record<string, EventBody>>;

/** The names of the kinds. */
const eventKinds = Object.keys(kinds) as readonly (keyof typeof kinds)[];

/** The id of an event: its kind follows from its number. */
export function eventId(number: number): string {
  return `event/${kindOf(number)}/${number}`;
}

/** The message of an event. */
export function eventMessage(number: number): ServiceBusMessage | AmqpAnnotatedMessage {
  const message = kinds[kindOf(number)].message(number);
  const messageId = eventId(number);
  return "bodyType" in message
    ? { ...message, properties: { ...propertiesOf(message), messageId } }
    : { ...(message as ServiceBusMessage), messageId };
}

/** Whether a handler got the body that the SDK's receiver gives for the message with this id. */
export function isEvent(messageId: string, body: unknown): boolean {
  const [, kind, number] = messageId.split("/") as [string, keyof typeof kinds, string];
  return isDeepStrictEqual(comparable(body), comparable(kinds[kind].received(Number(number))));
}

function propertiesOf(message: object): AmqpAnnotatedMessage["properties"] {
  return "properties" in message ? (message.properties as AmqpAnnotatedMessage["properties"]) : {};
}

function kindOf(number: number): keyof typeof kinds {
  return eventKinds[number % eventKinds.length] as keyof typeof kinds;
}

/** Bytes alike, whatever their class. */
function comparable(value: unknown): unknown {
  return value instanceof Uint8Array ? Buffer.from(value).toString("hex") : value;
}
