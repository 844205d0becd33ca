import type { Serializer, SerializerContext } from "../contracts/serializer.js";
import { utf8Invalid } from "../errors/body-failures.js";
import { decodeFailure, encodeFailure } from "../errors/failure.js";

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const encoder = new TextEncoder();

type Charset = "utf-8" | "us-ascii";

/**
 * Plain text, `text/plain`: a string, unchanged, including a byte order mark if it has one; an empty body is the empty string. Supports
 * UTF-8 and US-ASCII, and refuses other charsets in the content type. It reads only bodies whose content type names it or for which a policy
 * assumes it, because nearly any bytes are valid text. Writing throws `serialization-failed` for a value that is not a string or that the
 * charset cannot hold. Source: RFC 2046, 4.1; RFC 6657.
 */
export function text(): Serializer {
  return Object.freeze({
    name: "text",
    mediaTypes: Object.freeze(["text/plain"]),
    detection: "label",
    conforming: true,
    readsEmptyBodies: true,
    serialize: (value, context) => ({ bytes: writeText(value, context), contentType: labelFor(context) }),
    deserialize: (bytes, context) => {
      if (!context.isDeclared)
        throw decodeFailure("not-recognized", "Text is read only where it is declared.");
      return readText(bytes, charsetOf(context));
    },
  } satisfies Serializer);
}

function writeText(value: unknown, context: SerializerContext): Uint8Array {
  if (typeof value !== "string") {
    throw encodeFailure(
      `A text must be a string, not a value of kind ${value === null ? "null" : typeof value}.`,
    );
  }
  const charset = charsetOf(context);
  if (charset === undefined)
    throw encodeFailure("A text is written in UTF-8; the content type names another charset.");
  if (/\p{Surrogate}/u.test(value))
    throw encodeFailure("The text holds half of a surrogate pair, which UTF-8 cannot hold.");
  const bytes = encoder.encode(value);
  if (charset === "us-ascii" && bytes.length !== value.length) {
    throw encodeFailure("The text holds more than US-ASCII, which the content type names.");
  }
  return bytes;
}

function readText(bytes: Uint8Array, charset: Charset | undefined): string {
  if (charset === undefined) {
    throw decodeFailure(
      "charset-unsupported",
      "A text is read as UTF-8; the content type names another charset.",
    );
  }
  let value: string;
  try {
    value = utf8.decode(bytes);
  } catch {
    throw utf8Invalid();
  }
  // Each character outside US-ASCII takes more bytes than UTF-16 code units.
  if (charset === "us-ascii" && value.length !== bytes.length) {
    throw decodeFailure("malformed", "The body holds more than US-ASCII, which the content type names.");
  }
  return value;
}

/** Undefined for a charset that is not supported. Source: IANA's character sets, with their aliases. */
function charsetOf({ mediaType }: SerializerContext): Charset | undefined {
  const named = mediaType?.parameters.get("charset")?.toLowerCase() ?? "utf-8";
  if (named === "utf-8" || named === "utf8") return "utf-8";
  return named === "us-ascii" || named === "ascii" ? "us-ascii" : undefined;
}

/** The message's own content type if it has one: it may have parameters. */
function labelFor({ contentType }: SerializerContext): string {
  return contentType || "text/plain; charset=utf-8";
}
