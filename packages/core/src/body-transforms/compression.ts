import { nodeBuiltin, quoted } from "@waybill/foundation";
import type { Awaitable } from "../contracts/serializer.js";
import { decodeFailure } from "../errors/failure.js";
import type { ApplicationProperties, ApplicationPropertyValue, Message } from "../message/message.js";

/** A content coding a body can be compressed with. Source: RFC 9110, 8.4.1. */
export type ContentCoding = "gzip" | "deflate" | "br";

/** The application property with the codings of a body, innermost first, like the HTTP header of that name. */
const contentEncodingProperty = "Content-Encoding";

/** The same in lower case, as HTTP senders may write it; both are read. */
const lowerCaseProperty = "content-encoding";

export const contentCodings: readonly ContentCoding[] = Object.freeze(["gzip", "deflate", "br"]);

/**
 * Values that name no compression. Producers and bridges write the character set of a body where other messages have its compression, as the AMQP
 * property of that name invites them to, or that its bytes are not encoded (RFC 2045, 6.2).
 */
const notCompressed: ReadonlySet<string> = new Set([
  ...["", "identity", "none", "7bit", "8bit", "binary"],
  ...["utf-8", "utf8", "us-ascii"],
]);

/** Bodies with more codings are refused, because each costs a full pass and real bodies have one or two. */
const maxCodings = 3;

/** Larger limits are reduced to this, 4 GiB, because Node.js refuses them and not every version supports larger buffers. */
const maxZlibBytes = 2 ** 32 - 1;

/** The part of `node:zlib` that is used; browsers use the Compression Streams API instead. */
interface Zlib {
  gzipSync(bytes: Uint8Array): Uint8Array;
  deflateSync(bytes: Uint8Array): Uint8Array;
  brotliCompressSync(bytes: Uint8Array, options: object): Uint8Array;
  gunzipSync(bytes: Uint8Array, options: object): Inflated;
  inflateSync(bytes: Uint8Array, options: object): Inflated;
  inflateRawSync(bytes: Uint8Array, options: object): Inflated;
  brotliDecompressSync(bytes: Uint8Array, options: object): Inflated;
  readonly constants: { readonly BROTLI_PARAM_QUALITY: number };
}

interface Inflated {
  readonly buffer: Uint8Array;
  readonly engine: { readonly bytesWritten: number };
}

const zlib = nodeBuiltin<Zlib>("node:zlib");

/** How `node:zlib` codes and decodes. */
const codecs = zlib && {
  gzip: { code: zlib.gzipSync, decode: zlib.gunzipSync },
  deflate: {
    code: zlib.deflateSync,
    decode: (bytes: Uint8Array, options: object) =>
      hasZlibHeader(bytes) ? zlib.inflateSync(bytes, options) : zlib.inflateRawSync(bytes, options),
  },
  br: {
    // Quality 11, zlib's default, is for files that are compressed once: 100 times slower for a few per cent.
    code: (bytes: Uint8Array) =>
      zlib.brotliCompressSync(bytes, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 4 } }),
    decode: zlib.brotliDecompressSync,
  },
};

/** The properties of a message that may have its `Content-Encoding`. */
type Encoded = Pick<Message, "contentEncoding" | "applicationProperties">;

/**
 * The `Content-Encoding` of a message: its application property, else AMQP's property. HTTP senders may write the former in lower case, although
 * names of application properties are case-sensitive.
 */
export function contentEncodingOf({
  contentEncoding,
  applicationProperties: properties,
}: Encoded): Exclude<ApplicationPropertyValue, null> | undefined {
  if (properties === undefined) return contentEncoding;
  return properties[contentEncodingProperty] ?? properties[lowerCaseProperty] ?? contentEncoding;
}

/** The message with these codings, innermost first, as its application property, instead of earlier ones. */
export function withContentEncoding<Encoding extends Encoded>(
  message: Encoding,
  codings: readonly ContentCoding[],
): Encoding {
  const { [lowerCaseProperty]: _, ...others } = message.applicationProperties ?? {};
  const applicationProperties = { ...others, [contentEncodingProperty]: codings.join(", ") };
  return { ...message, contentEncoding: undefined, applicationProperties };
}

/** The application properties with this as the only `Content-Encoding`, or with none. */
export function withEffectiveContentEncoding(
  properties: ApplicationProperties,
  encoding: ApplicationPropertyValue | undefined,
): ApplicationProperties {
  if (encoding === undefined || encoding === "") return properties;
  return { ...properties, [contentEncodingProperty]: encoding };
}

/** The message without coding, for an empty body or one that is written anew. */
export function withoutContentEncoding<Encoding extends Encoded>(message: Encoding): Encoding {
  if (contentEncodingOf(message) === undefined) return message;
  const {
    [contentEncodingProperty]: _,
    [lowerCaseProperty]: __,
    ...applicationProperties
  } = message.applicationProperties ?? {};
  return { ...message, contentEncoding: undefined, applicationProperties };
}

/**
 * Reads a `Content-Encoding` value: the codings to undo, outermost first. Throws `content-encoding-unknown` for one that is not
 * gzip (or x-gzip), deflate, br, identity or a character set of UTF-8, or for more than three.
 */
export function parseContentEncoding(value: unknown): readonly ContentCoding[] {
  if (typeof value !== "string")
    throw decodeFailure("content-encoding-unknown", "Content-Encoding is not a string.");
  const names = value
    .slice(0, 256)
    .split(",")
    .map((name) => name.trim().toLowerCase())
    .filter((name) => !notCompressed.has(name));
  if (names.length > maxCodings) {
    throw decodeFailure(
      "content-encoding-unknown",
      `Content-Encoding names more than ${maxCodings} codings.`,
    );
  }
  return names.map(supported).reverse();
}

function supported(name: string): ContentCoding {
  // RFC 9110, 8.4.1.3: x-gzip is equivalent to gzip.
  const plain = name === "x-gzip" ? "gzip" : name;
  const coding = contentCodings.find((each) => each === plain);
  if (coding !== undefined) return coding;
  throw decodeFailure("content-encoding-unknown", `The content coding ${quoted(name, 32)} is not supported.`);
}

/** Compresses a body. */
export function compress(coding: ContentCoding, bytes: Uint8Array): Awaitable<Uint8Array> {
  return codecs === undefined
    ? throughStream(new CompressionStream(streamFormat(coding)), bytes, Infinity)
    : codecs[coding].code(bytes);
}

/**
 * Decodes one content coding. Throws `decompressed-too-large` as soon as the output exceeds `maxBytes`, `compression-corrupt` when the bytes
 * are damaged, truncated, or continue after the end.
 */
export function decompress(
  coding: ContentCoding,
  bytes: Uint8Array,
  maxBytes: number,
): Awaitable<Uint8Array> {
  if (codecs === undefined)
    return throughStream(new DecompressionStream(inflatingFormat(coding, bytes)), bytes, maxBytes);
  const options = { maxOutputLength: Math.min(maxBytes, maxZlibBytes), info: true };
  try {
    const { buffer, engine } = codecs[coding].decode(bytes, options);
    if (engine.bytesWritten !== bytes.length) {
      throw decodeFailure(
        "compression-corrupt",
        `The ${coding} data ends at ${engine.bytesWritten} of ${bytes.length} bytes.`,
      );
    }
    return buffer;
  } catch (error) {
    throw decompressionFailure(error, coding, maxBytes);
  }
}

/** Whether deflated data is in zlib's format, as RFC 9110 says. .NET's `DeflateStream`, and many other programs, write it without. */
function hasZlibHeader(bytes: Uint8Array): boolean {
  const [method = 0, check = 0] = bytes;
  return (method & 0x0f) === 8 && (method * 256 + check) % 31 === 0;
}

function decompressionFailure(error: unknown, coding: ContentCoding, maxBytes: number): unknown {
  const code = (error as { code?: unknown }).code;
  if (code === "deserialization-failed") return error;
  if (code === "ERR_BUFFER_TOO_LARGE") return tooLarge(maxBytes);
  return decodeFailure("compression-corrupt", `The body is not valid ${coding} data.`, error);
}

function tooLarge(maxBytes: number): Error {
  const text = `The body is larger than ${maxBytes} bytes when decompressed.`;
  return decodeFailure("decompressed-too-large", text);
}

function inflatingFormat(coding: ContentCoding, bytes: Uint8Array): CompressionFormat {
  return coding === "deflate" && !hasZlibHeader(bytes) ? "deflate-raw" : streamFormat(coding);
}

function streamFormat(coding: ContentCoding): CompressionFormat {
  if (coding === "br") throw decodeFailure("content-encoding-unknown", "This platform cannot decompress br.");
  return coding;
}

async function throughStream(
  stream: GenericTransformStream,
  bytes: Uint8Array,
  maxBytes: number,
): Promise<Uint8Array> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  const source = new Blob([bytes as Uint8Array<ArrayBuffer>]).stream();
  const reader = (source.pipeThrough(stream) as ReadableStream<Uint8Array<ArrayBuffer>>).getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      length += value.length;
      if (length > maxBytes) throw tooLarge(maxBytes);
      chunks.push(value);
    }
  } catch (error) {
    await reader.cancel().catch(() => {});
    if (error instanceof TypeError)
      throw decodeFailure("compression-corrupt", "The body is not valid compressed data.", error);
    throw error;
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}
