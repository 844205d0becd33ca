import { parseXml, type XmlElement } from "@rgrove/parse-xml";
import type { BodyCheck, DeserializeContext } from "@waybill/core/serializer";
import { decodeFailure, validationFailure } from "@waybill/core/serializer";
import { checkXml } from "./check-xml.js";
import { toValue } from "./to-value.js";

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** Reads one XML document. Throws `decodeFailure` or, when the value breaks its schema, `validationFailure`. */
export function readXml(
  bytes: Uint8Array,
  context: DeserializeContext,
  form: "both" | "text" | "parsed",
  check: BodyCheck | undefined,
): unknown {
  if (bytes.length === 0) throw decodeFailure("body-empty", "An empty body is not XML.");
  requireUtf8(context.mediaType?.parameters.get("charset"), "content type");
  const text = decode(bytes);
  const parsed = parse(text, context);
  const value = form === "both" ? { text, parsed } : form === "text" ? text : parsed;
  if (check === undefined) return value;
  const result = check(value);
  if (!result.isValid) throw validationFailure(result.text);
  return result.value;
}

/** The value of a document. Throws `decodeFailure`. */
export function parse(text: string, limits: Parameters<typeof checkXml>[1]): Record<string, unknown> {
  requireUtf8(/^<\?xml\s[^>]*?\bencoding\s*=\s*["']([^"']*)["']/.exec(text)?.[1], "XML declaration");
  checkXml(text, limits);
  let root: XmlElement | null;
  try {
    root = parseXml(text).root;
  } catch {
    // The error's text quotes the document, so it is not passed on.
    throw decodeFailure("malformed", "The body is not well-formed XML.");
  }
  if (root === null) throw decodeFailure("malformed", "The XML document has no root element.");
  return toValue(root);
}

function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw decodeFailure("utf8-invalid", "The XML body is not valid UTF-8.");
  }
}

function requireUtf8(charset: string | undefined, where: string): void {
  if (charset === undefined || /^(?:utf-?8|us-ascii)$/i.test(charset)) return;
  throw decodeFailure("charset-unsupported", `The ${where} names a character set other than UTF-8.`);
}
