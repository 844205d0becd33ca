import { isObject, parseJson } from "@waybill/foundation";
import type { Origin } from "../message/origin.js";
import { enclosingEnvelope } from "./enclosing-envelope.js";
import { origin, readers, type Traces } from "./readers.js";

/** Larger bodies are recognised by their beginning only. */
const maxParsedBytes = 65_536;

/** The origin of a body that is text. */
export function byText({ body }: Traces): Origin | undefined {
  if ((body[0] === 0xff && body[1] === 0xfe) || (body[0] === 0xfe && body[1] === 0xff)) {
    return origin("text in UTF-16", { sender: "write UTF-8" });
  }
  const text = textOf(body);
  if (text === undefined || text.trim() === "") return undefined;
  const value = body.length > maxParsedBytes ? undefined : parseJson(text);
  if (value !== undefined) return byJson(value);
  if (/^\s*[{[]/.test(text) && body.length > maxParsedBytes) return origin("JSON", readers.json);
  if (/^\s*<(?:\?xml|[A-Za-z_])/.test(text)) return origin("XML", readers.xml);
  return origin("plain text", {
    add: 'text(), with contentTypePolicies: { missing: { assume: "text" } }',
    package: "@waybill/core",
    serializer: "text",
  });
}

function byJson(value: unknown): Origin {
  if (typeof value === "string" && /^\s*[{[]/.test(value) && parseJson(value) !== undefined) {
    return origin("JSON in a JSON string", { ...readers.json, sender: "encode it once only" });
  }
  if (!isObject(value)) {
    return origin("a JSON scalar without a label", {
      add: 'json(), with contentTypePolicies: { missing: { assume: "json" } }',
      package: readers.json.package,
    });
  }
  return enclosingEnvelope(value) ?? origin("JSON", readers.json);
}

/** A body that is text as a whole; undefined also for larger ones, which are not examined. */
export function wholeText(body: Uint8Array): string | undefined {
  return body.length > maxParsedBytes ? undefined : textOf(body);
}

/** The beginning of the body as text; undefined if it is not UTF-8, or has control characters other than tab, line feed and carriage return. */
function textOf(body: Uint8Array): string | undefined {
  try {
    const decoder = new TextDecoder("utf-8", { fatal: true });
    const text = decoder.decode(body.subarray(0, maxParsedBytes), { stream: body.length > maxParsedBytes });
    return /\p{Cc}/u.test(text.replaceAll(/[\t\r\n]/g, "")) ? undefined : text;
  } catch {
    return undefined;
  }
}
