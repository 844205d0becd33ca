import { type AmqpValue, char, described, int, stringMap, symbol, ulong } from "@waybill/amqp";
import { type PipelineOptions, type ReceivedMessage, text } from "@waybill/core";
import { json } from "@waybill/serializer-json";
import { msgpack } from "@waybill/serializer-msgpack";
import { xml } from "@waybill/serializer-xml";

/** The chains with which value and sequence sections are read, by their names in the table. */
export const chains = {
  "`json`": { serializer: json() },
  "`text`": { serializer: text() },
  "`msgpack → json → xml`": { serializer: msgpack(), additionalDeserializers: [json(), xml()] },
  "`msgpack → json → xml`, assuming `json`": {
    serializer: msgpack(),
    additionalDeserializers: [json(), xml()],
    contentTypePolicies: { missing: { assume: "json" } },
  },
  '`msgpack → json → xml`, `foreign: "reject"`': {
    serializer: msgpack(),
    additionalDeserializers: [json(), xml()],
    contentTypePolicies: { foreign: "reject" },
  },
  "`json` with a schema that requires `id`": {
    serializer: json({
      schema: { type: "object", required: ["id"], properties: { id: { type: "integer" } } },
    }),
  },
} as const satisfies Readonly<Record<string, PipelineOptions>>;

/** One row of the table: a value section, or sequence sections, and what becomes of it. */
export interface ValueRow {
  /** As the table names it. */
  readonly name: string;
  readonly body:
    | { readonly kind: "value"; readonly value: AmqpValue }
    | { readonly kind: "sequence"; readonly sections: readonly (readonly AmqpValue[])[] };
  readonly contentType?: string;
  readonly applicationProperties?: Readonly<Record<string, string>>;
  readonly chain: keyof typeof chains;
  /** The body that the handler gets; undefined if it is refused. */
  readonly gets?: { readonly body: unknown };
}

const many = "`msgpack → json → xml`";
const assuming = "`msgpack → json → xml`, assuming `json`";
const rejecting = '`msgpack → json → xml`, `foreign: "reject"`';
const strict = "`json` with a schema that requires `id`";
/** `{ id: 1, no: 2 }` in MessagePack. */
const packed = Uint8Array.of(0x82, 0xa2, 0x69, 0x64, 1, 0xa2, 0x6e, 0x6f, 2);
const gzip = { "Content-Encoding": "gzip" };

/** The rows, in the order of the table. */
export const valueRows: readonly ValueRow[] = [
  {
    ...value('the string `{"id":7}`', '{"id":7}', many),
    contentType: "application/json",
    gets: { body: { id: 7 } },
  },
  {
    ...value('the string `{"id":7}`', '{"id":7}', many),
    contentType: "text/json;charset=utf-16",
    gets: { body: { id: 7 } },
  },
  {
    ...value('the string `{"id":7}`', '{"id":7}', many),
    contentType: "text/plain",
    gets: { body: { id: 7 } },
  },
  { ...value('the string `{"id":7}`', '{"id":7}', rejecting), contentType: "text/plain" },
  { ...value('the string `{"id":7}`', '{"id":7}', many), contentType: "text/csv" },
  {
    ...value("the string `{}`, labelled as gzip", "{}", many),
    applicationProperties: gzip,
    gets: { body: {} },
  },
  { ...value("the string `7`", "7", "`json`"), gets: { body: 7 } },
  value("the string `7`", "7", many),
  { ...value("the string `7`", "7", many), contentType: "application/json", gets: { body: 7 } },
  { ...value('the string `"a"`', '"a"', assuming), gets: { body: "a" } },
  { ...value('the string `[{"id":7}]`', '[{"id":7}]', many), gets: { body: [{ id: 7 }] } },
  { ...value("the string `hello`", "hello", "`text`"), gets: { body: "hello" } },
  { ...value("the string `hello`", "hello", "`text`"), contentType: "text/plain", gets: { body: "hello" } },
  value("the string `hello`", "hello", "`json`"),
  value("the string `hello`", "hello", many),
  { ...value("the string `hello`", "hello", many), contentType: "application/json" },
  { ...value("the string `<order/>`", "<order/>", "`json`"), contentType: "application/xml" },
  { ...value('the string `{"id":"7"}`', '{"id":"7"}', strict), contentType: "application/json" },
  {
    ...value("binary with two descriptors", described(ulong(7n), described(ulong(2n ** 40n), packed)), many),
    gets: { body: { id: 1, no: 2 } },
  },
  {
    ...value("binary with a descriptor", described(symbol("shop:order"), packed), many),
    gets: { body: { id: 1, no: 2 } },
  },
  { ...value("the symbol `[1]`", symbol("[1]"), many), gets: { body: [1] } },
  { ...value("binary: a map in MessagePack", packed, many), gets: { body: { id: 1, no: 2 } } },
  {
    ...value("binary: a map in MessagePack", packed, many),
    contentType: "application/json",
    gets: { body: { id: 1, no: 2 } },
  },
  value("binary: `01 02 03`", Uint8Array.of(1, 2, 3), many),
  { ...value("a map", stringMap({ id: int(7) }), strict), gets: { body: { id: 7 } } },
  {
    ...value("a map", stringMap({ id: int(7) }), strict),
    contentType: "application/xml",
    gets: { body: { id: 7 } },
  },
  value("a map with `id` as a string", stringMap({ id: "7" }), strict),
  {
    ...value("a map that holds a string of JSON", stringMap({ id: "{}" }), many),
    gets: { body: { id: "{}" } },
  },
  { ...value("a list", [int(1), "[2]"], many), gets: { body: [1, "[2]"] } },
  { ...value("a number", int(7), many), gets: { body: 7 } },
  value("a number", int(7), strict),
  { ...value("a `char`", char(0x41), many), gets: { body: "A" } },
  { ...value("null", null, many), gets: { body: null } },
  value("null", null, strict),
  {
    ...value("a described string", described(symbol("shop:line"), "[1]"), many),
    gets: { body: [1] },
  },
  {
    ...value(
      "a described map in a described list",
      described(symbol("shop:lines"), [described(symbol("shop:line"), stringMap({ id: int(7) }))]),
      many,
    ),
    gets: { body: [{ id: 7 }] },
  },
  { ...sequence("a sequence: `1`, `{}`", [[int(1), "{}"]], many), gets: { body: [1, "{}"] } },
  { ...sequence("a sequence: binary", [[packed]], many), gets: { body: [packed] } },
  sequence("a sequence: `1`", [[int(1)]], strict),
];

/** How a message was read, as the table says it; undefined for one that no handler gets. */
export function outcomeText(message: ReceivedMessage | undefined): string {
  if (message === undefined) return "refused";
  const { serializer, declared, assumed } = message.deserialization;
  if (serializer === undefined) return "a plain value";
  return `${serializer === declared || serializer === assumed ? "read" : "recognised"} by \`${serializer}\``;
}

function value(name: string, sent: AmqpValue, chain: keyof typeof chains): ValueRow {
  return { name, body: { kind: "value", value: sent }, chain };
}

function sequence(
  name: string,
  sections: readonly (readonly AmqpValue[])[],
  chain: keyof typeof chains,
): ValueRow {
  return { name, body: { kind: "sequence", sections }, chain };
}
