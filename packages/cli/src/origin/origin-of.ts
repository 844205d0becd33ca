import type { ApplicationProperties } from "@waybill/core";
import { diagnoseFraming } from "@waybill/schema-registry";

/** The probable format of a body, by its properties and its first bytes, and what reads it. */
export interface Origin {
  /** Such as `"legacy .NET string holding JSON"`. */
  readonly name: string;
  /** What to add to the chain, or to the client; undefined if nothing helps. */
  readonly add: string | undefined;
}

/** The parts of a message that show its origin. */
export interface Traces {
  readonly body: Uint8Array;
  readonly contentType?: string | undefined;
  readonly subject?: string | undefined;
  readonly applicationProperties?: ApplicationProperties | undefined;
}

type Guess = (traces: Traces) => Origin | undefined;

/**
 * The probable origin of a body, for a person to look at: a hint, never a proof, which only a serializer of the chain can give. Undefined if the
 * body looks like nothing known.
 */
export function originOf(traces: Traces): Origin | undefined {
  for (const guess of guesses) {
    const origin = guess(traces);
    if (origin !== undefined) return origin;
  }
  return undefined;
}

/** Unambiguous properties first, then content types, then the bytes. */
const guesses: readonly Guess[] = [
  byProperties,
  byContentType,
  legacyDotnet,
  singleObject,
  framed,
  compressed,
  text,
  binary,
];

function byProperties({ contentType, applicationProperties = {} }: Traces): Origin | undefined {
  const has = (name: string) => Object.hasOwn(applicationProperties, name);
  if (applicationProperties["NServiceBus.Transport.Encoding"] === "wcf/byte-array")
    return origin(
      `NServiceBus in the legacy .NET form${holding(contentType)}`,
      "dotnetBinary(), and envelopes' nserviceBus()",
    );
  if (has("NServiceBus.EnclosedMessageTypes"))
    return origin(`NServiceBus${holding(contentType)}`, "nserviceBus() as messageTypeResolver");
  if (has("cloudEvents_specversion") || has("cloudEvents:specversion"))
    return origin(`CloudEvent in binary mode${holding(contentType)}`, "cloudEvents() as messageTypeResolver");
  if (has("MT-MessageType")) return origin("MassTransit, raw JSON", "massTransit() as messageTypeResolver");
  if (has("accepted-content-types") && has("sent-at"))
    return origin(`Wolverine${holding(contentType)}`, "wolverine() as messageTypeResolver");
  if (has("__value_schema_id"))
    return origin(
      "Confluent's schema id in a header",
      "registryAvro(avro, { source: confluentSchemaRegistry(…) })",
    );
  return undefined;
}

function byContentType({ contentType }: Traces): Origin | undefined {
  const label = contentType?.trim().toLowerCase() ?? "";
  const registry = /^(avro\/binary|application\/json)\+([0-9a-f]{32})/.exec(label);
  if (registry !== null)
    return origin(
      `${registry[1] === "avro/binary" ? "Avro" : "JSON"} under Azure Schema Registry's id ${registry[2]}`,
      `registry${registry[1] === "avro/binary" ? "Avro(avro" : "Json(json"}, { source: azureSchemaRegistry(client) })`,
    );
  if (label.startsWith("application/cloudevents+avro"))
    return origin("CloudEvent in Avro", "cloudEventsAvro(avro), and cloudEvents() as messageTypeResolver");
  if (label.startsWith("application/cloudevents"))
    return origin("CloudEvent in structured mode", "json(), and cloudEvents() as messageTypeResolver");
  if (label.startsWith("application/vnd.masstransit"))
    return origin("MassTransit's envelope", "json(), and massTransit() as messageTypeResolver");
  if (/protobuf/.test(label)) return origin("Protobuf", "protobuf({ registry })");
  if (/\bcbor\b/.test(label)) return origin("CBOR", "cbor()");
  return undefined;
}

const dotnetNamespace = "http://schemas.microsoft.com/2003/10/Serialization/";
const dotnetRoots =
  /^(?:http:\/\/schemas\.microsoft\.com\/2003\/10\/Serialization\/|http:\/\/schemas\.datacontract\.org\/2004\/07\/)/;

/** The bytes of U+FFFD, which stands for what was not UTF-8. */
const replacement = "\u00ef\u00bf\u00bd";

/** .NET binary XML: an element record, its name, and the namespace's declaration. Source: [MC-NBFX]. */
function legacyDotnet({ body }: Traces): Origin | undefined {
  const head = ascii(body, 0, 300);
  if (head.startsWith(replacement) || head.includes(`@\u0006string\u0008${replacement}`))
    return origin("a body that was converted to UTF-8 on its way: its bytes are lost", undefined);
  if (body[0] !== 0x40 && body[0] !== 0x41 && !((body[0] ?? 0) >= 0x5e && (body[0] ?? 0) <= 0x77))
    return undefined;
  const at = head.indexOf("http://schemas.");
  if (at < 0 || !dotnetRoots.test(head.slice(at))) return undefined;
  const root = ascii(body, 2, 2 + Math.min(body[1] ?? 0, 60));
  const content = head.slice(at + dotnetNamespace.length);
  if (root !== "string" && root !== "base64Binary")
    return origin(`legacy .NET object ${JSON.stringify(root)}`, "dotnetBinary()");
  const kind = root === "string" ? "string" : "byte array";
  if (/^[^{[<]{1,6}[{[]/.test(content))
    return origin(`legacy .NET ${kind} holding JSON`, "dotnetBinary({ json: true })");
  if (/^[^{[<]{1,6}</.test(content)) return origin(`legacy .NET ${kind} holding XML`, "dotnetBinary()");
  return origin(`legacy .NET ${kind}`, "dotnetBinary()");
}

function singleObject({ body }: Traces): Origin | undefined {
  if (body[0] !== 0xc3 || body[1] !== 0x01 || body.length < 10) return undefined;
  const fingerprint = Buffer.from(body.subarray(2, 10)).reverse().toString("hex");
  return origin(
    `Avro single-object, schema fingerprint 0x${fingerprint}`,
    "avro({ schema }) with the schema of that fingerprint",
  );
}

function framed({ body }: Traces): Origin | undefined {
  const framing = diagnoseFraming(body);
  if (framing === undefined) return undefined;
  const id = /^Confluent id (\d+)/.exec(framing)?.[1];
  if (id === undefined || framing.includes(" or "))
    return origin(framing, "registryAvro(avro, { source }) with the registry's framings");
  return origin(
    `Confluent-framed ${payloadOf(body)}, id ${id}, no registry given`,
    "registryAvro(avro, { source: confluentSchemaRegistry({ url }) })",
  );
}

function payloadOf(body: Uint8Array): string {
  return body[5] === 0x7b || body[5] === 0x5b ? "JSON" : "Avro";
}

function compressed({ body }: Traces): Origin | undefined {
  if (body[0] === 0x1f && body[1] === 0x8b)
    return origin(
      "gzip without a Content-Encoding",
      "the application property Content-Encoding: gzip on the sending side",
    );
  return undefined;
}

function text({ body }: Traces): Origin | undefined {
  if ((body[0] === 0xff && body[1] === 0xfe) || (body[0] === 0xfe && body[1] === 0xff))
    return origin("text in UTF-16", undefined);
  const content = decoded(body);
  if (content === undefined) return undefined;
  if (isJson(content)) return jsonOrigin(content);
  if (/^\s*<(?:\?xml|[A-Za-z_])/.test(content)) return origin("XML", "xml()");
  return /\p{Cc}/u.test(content.replace(/[\t\r\n]/g, ""))
    ? undefined
    : origin("plain text", 'text(), with contentTypePolicies: { missing: { assume: "text" } }');
}

function jsonOrigin(content: string): Origin {
  const value = JSON.parse(content) as unknown;
  if (typeof value === "string" && /^\s*[{[]/.test(value) && isJson(value))
    return origin("JSON in a JSON string", "json()");
  if (typeof value !== "object" || value === null)
    return origin(
      "a JSON scalar without a label",
      'json(), with contentTypePolicies: { missing: { assume: "json" } }',
    );
  const has = (name: string) => Object.hasOwn(value, name);
  if (has("specversion") && has("source") && has("type"))
    return has("pubsubname")
      ? origin("Dapr's CloudEvent", "json(), and dapr() as messageTypeResolver")
      : origin("CloudEvent in JSON without its content type", "json(), and dapr() as messageTypeResolver");
  if (has("messageType") && has("message"))
    return origin("MassTransit's envelope without its content type", "json()");
  return origin("JSON", "json()");
}

function binary({ body }: Traces): Origin | undefined {
  const [first = 0] = body;
  if (first === 0xd9 && body[1] === 0xd9 && body[2] === 0xf7) return origin("self-described CBOR", "cbor()");
  if ((first >= 0x81 && first <= 0x8f) || first === 0xde || first === 0xdf)
    return origin("MessagePack", "msgpack()");
  if ((first >= 0xa1 && first <= 0xb7) || first === 0xbf)
    return origin(
      "CBOR without a label",
      "cbor(), and the content type application/cbor on the sending side",
    );
  return undefined;
}

function origin(name: string, add: string | undefined): Origin {
  return { name, add };
}

function holding(contentType: string | undefined): string {
  if (contentType === undefined || contentType === "") return "";
  return /json/i.test(contentType) ? " holding JSON" : /xml/i.test(contentType) ? " holding XML" : "";
}

function ascii(body: Uint8Array, from: number, to: number): string {
  return String.fromCharCode(...body.subarray(from, Math.min(to, body.length)));
}

/** Maximum size of a body that is checked as text. */
const maxTextBytes = 1024 * 1024;

function decoded(body: Uint8Array): string | undefined {
  if (body.length === 0 || body.length > maxTextBytes) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(body);
  } catch {
    return undefined;
  }
}

function isJson(content: string): boolean {
  try {
    JSON.parse(content);
    return true;
  } catch {
    return false;
  }
}
