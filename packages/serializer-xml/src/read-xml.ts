import type { BodyCheck, DeserializeContext } from "@waybill/core/serializer";
import { decodeFailure, validationFailure } from "@waybill/core/serializer";
import { parseXml, type XmlLimits } from "./parse-xml.js";

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** Reads one XML document. Throws `decodeFailure` or, when the value breaks its schema, `validationFailure`. */
export function readXml(
  bytes: Uint8Array,
  context: DeserializeContext,
  form: "both" | "text" | "parsed",
  check: BodyCheck | undefined,
): unknown {
  if (bytes.length === 0) throw decodeFailure("body-empty", "An empty body is not XML.");
  const charset = context.mediaType?.parameters.get("charset");
  requireUtf8(charset, "content type");
  const text = decode(bytes);
  // Where the bytes or their label name the encoding, what the document says does not count. Source: RFC 7303, 3.
  if (charset === undefined && !beginsWithByteOrderMark(bytes)) requireUtf8OrUtf16(encodingOf(text));
  const parsed = parse(text, context);
  const value = form === "both" ? { text, parsed } : form === "text" ? text : parsed;
  if (check === undefined) return value;
  const result = check(value);
  if (!result.isValid) throw validationFailure(result.text);
  return result.value;
}

/** The value of a document to write, whose declaration must name UTF-8 or nothing. Throws `decodeFailure`. */
export function parseOwn(text: string, limits: XmlLimits): Record<string, unknown> {
  requireUtf8(encodingOf(text), "XML declaration");
  return parse(text, limits);
}

function parse(text: string, limits: XmlLimits): Record<string, unknown> {
  if (!/^\s*</.test(text))
    throw decodeFailure("malformed", "not an XML document at offset 0: it does not begin with markup.");
  return parseXml(text, limits);
}

function encodingOf(text: string): string | undefined {
  return /^<\?xml\s[^>]*?\bencoding\s*=\s*["']([^"']*)["']/.exec(text)?.[1];
}

function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw decodeFailure("utf8-invalid", "The XML body is not valid UTF-8.");
  }
}

function beginsWithByteOrderMark(bytes: Uint8Array): boolean {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
}

/** A declaration that can be read as UTF-8 cannot be in UTF-16: .NET's `StringWriter` writes that name into every document. */
function requireUtf8OrUtf16(encoding: string | undefined): void {
  if (encoding === undefined || !/^utf-16(?:le|be)?$/i.test(encoding))
    requireUtf8(encoding, "XML declaration");
}

function requireUtf8(charset: string | undefined, where: string): void {
  if (charset === undefined || /^(?:utf-?8|us-ascii)$/i.test(charset)) return;
  throw decodeFailure("charset-unsupported", `The ${where} names a character set other than UTF-8.`);
}
