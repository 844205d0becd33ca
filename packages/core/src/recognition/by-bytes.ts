import type { Origin } from "../message/origin.js";
import { gzipSender, origin, readers, registryReader, type Traces } from "./readers.js";

/** Headers of formats that waybill does not read, and of compressions. */
const headers: readonly { readonly bytes: readonly number[]; readonly origin: Origin }[] = [
  {
    bytes: [0x1f, 0x8b, 0x08],
    origin: origin("gzip data without its label", {
      sender: gzipSender,
    }),
  },
  {
    bytes: [0x28, 0xb5, 0x2f, 0xfd],
    origin: origin("data compressed with zstd, which waybill does not read", {
      sender: "compress with gzip, deflate or br",
    }),
  },
  {
    bytes: [0x4f, 0x62, 0x6a, 0x01],
    origin: origin("an Avro container file, which is not a message", {
      sender: "write Avro's binary or single-object encoding",
    }),
  },
  { bytes: [0xd9, 0xd9, 0xf7], origin: origin("self-described CBOR", readers.cbor) },
  {
    bytes: [0x00, 0x01, 0x00, 0x00, 0x00, 0xff, 0xff, 0xff, 0xff],
    origin: origin("data of .NET's BinaryFormatter, which is not safe to read"),
  },
  { bytes: [0xac, 0xed, 0x00, 0x05], origin: origin("a serialized Java object, which is not safe to read") },
  { bytes: [0x50, 0x4b, 0x03, 0x04], origin: origin("a ZIP archive") },
];

/** The origin that the first bytes prove. */
export function byHeader({ body }: Traces): Origin | undefined {
  return headers.find(({ bytes }) => bytes.every((byte, at) => body[at] === byte))?.origin;
}

/** The bytes of U+FFFD, which stands for what was not UTF-8. */
const replacement = "\u00ef\u00bf\u00bd";

const dotnetRoots =
  /http:\/\/schemas\.(?:microsoft\.com\/2003\/10\/Serialization\/|datacontract\.org\/2004\/07\/)/;

/** .NET binary XML, as `new BrokeredMessage(value)` writes it: an element, and the declaration of its namespace. Source: [MC-NBFX]. */
export function byDotnetRoot({ body }: Traces): Origin | undefined {
  const head = latin1(body, 0, 300);
  if (head.startsWith(replacement) || head.includes(`@\u0006string\u0008${replacement}`)) {
    return origin("a body that was converted to UTF-8 on its way: its bytes are lost");
  }
  const [first = 0, length = 0] = body;
  if (first !== 0x40 && first !== 0x41 && !(first >= 0x5e && first <= 0x77)) return undefined;
  const namespace = dotnetRoots.exec(head);
  if (namespace === null) return undefined;
  const root = latin1(body, 2, 2 + Math.min(length, 60));
  if (root !== "string" && root !== "base64Binary") {
    const named = /^[A-Za-z_][\w.]*$/.test(root) ? ` "${root}"` : "";
    return origin(`a legacy .NET object${named}`, readers.dotnet);
  }
  const kind = root === "string" ? "string" : "byte array";
  const content = head.slice(namespace.index + namespace[0].length);
  if (/^[^{[<]{1,6}[{[]/.test(content)) {
    return origin(`a legacy .NET ${kind} holding JSON`, {
      ...readers.dotnet,
      add: "dotnetBinary({ json: true })",
    });
  }
  return origin(
    `a legacy .NET ${kind}${/^[^{[<]{1,6}</.test(content) ? " holding XML" : ""}`,
    readers.dotnet,
  );
}

/** Avro, or JSON, after the id of its schema. */
export function byFraming({ body }: Traces): Origin | undefined {
  const view = new DataView(body.buffer, body.byteOffset, body.byteLength);
  if (body[0] === 0xc3 && body[1] === 0x01 && body.length >= 10) {
    const fingerprint = view.getBigUint64(2, true).toString(16).padStart(16, "0");
    return origin(`Avro with the schema fingerprint 0x${fingerprint}`, {
      ...readers.avro,
      add: "avro({ schema }) with the schema of that fingerprint",
    });
  }
  if (body[0] === 0x01 && body.length > 17 && isUuid(body, 1)) return framed("Confluent's schema GUID");
  if (body[0] === 0x03 && (body[1] === 0x00 || body[1] === 0x05) && body.length > 18 && isUuid(body, 2)) {
    return framed("AWS Glue's schema version");
  }
  if (body[0] !== 0x00 || body.length < 6) return undefined;
  const id = view.getUint32(1);
  // gRPC has the length of the message at this place, which begins with the tag of a field.
  if (id === body.length - 5 && isFieldTag(body[5] ?? 0)) return origin("a message of gRPC, with its frame");
  if (id > 0x0fff_ffff) return undefined;
  if (id === 0 && body.length > 9) {
    return framed(`the id ${view.getBigUint64(1)} in Apicurio's framing`, body[9]);
  }
  return framed(`the id ${id} in Confluent's framing`, body[5]);
}

function framed(by: string, payload?: number): Origin {
  const isJson = payload === 0x7b || payload === 0x5b;
  const call = isJson ? "registryJson(json, { source })" : "registryAvro(avro, { source })";
  return origin(`${isJson ? "JSON" : "Avro"} with ${by}`, registryReader(call));
}

/** Formats that describe themselves without a header. */
export function byFirstByte({ body: [first = 0] }: Traces): Origin | undefined {
  if ((first >= 0x81 && first <= 0x8f) || first === 0xde || first === 0xdf) {
    return origin("MessagePack", readers.msgpack);
  }
  if ((first >= 0xa1 && first <= 0xb7) || first === 0xbf) {
    return origin("CBOR without a label", {
      ...readers.cbor,
      sender: "set the content type application/cbor",
    });
  }
  return undefined;
}

/** Wire types 0, 1, 2 and 5 of a field with a number. Source: Protocol Buffers, encoding. */
function isFieldTag(byte: number): boolean {
  return byte >= 8 && [0, 1, 2, 5].includes(byte & 7);
}

/** The version and variant bits distinguish a UUID from random bytes. Source: RFC 9562, 4. */
function isUuid(bytes: Uint8Array, start: number): boolean {
  const version = (bytes[start + 6] ?? 0) >> 4;
  const variant = (bytes[start + 8] ?? 0) >> 6;
  return version >= 1 && version <= 8 && variant === 0b10;
}

function latin1(body: Uint8Array, from: number, to: number): string {
  return String.fromCharCode(...body.subarray(from, Math.min(to, body.length)));
}
