import type { DeliveredMessage } from "@waybill/core/transport";
import { fromPortableValue, parsePortableJson } from "@waybill/migration/tools";
import { type ValueNode, valueTree } from "../values/value-tree.js";

/** A body that is text, whatever the chain makes of it. */
export interface BodyTextView {
  /** Its first characters. */
  readonly text: string;
  /** How many characters it has. */
  readonly length: number;
  /** Its value if the text is JSON with an object or a list. */
  readonly json: ValueNode | undefined;
}

/** How many characters are shown. */
const maxShown = 100_000;
/** A longer text is not parsed. */
const maxParsed = 4 * 1024 * 1024;

/** Characters that no text has: they are shown as code points, so that a body of bytes is no text by accident. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to find.
const binary = /[\u0000-\u0008\u000e-\u001a\u001c-\u001f]/;

/** The body as text: bytes that are UTF-8 without control characters, or a string as an AMQP value; undefined for any other. */
export function textOf({ body }: Pick<DeliveredMessage, "body">): string | undefined {
  if (!(body instanceof Uint8Array))
    return body.section === "value" && typeof body.value === "string" ? body.value : undefined;
  if (body.length === 0) return undefined;
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(body);
    return binary.test(text) ? undefined : text;
  } catch {
    return undefined;
  }
}

/** The view of a body that is text; undefined for any other. */
export function bodyTextView(message: Pick<DeliveredMessage, "body">): BodyTextView | undefined {
  const text = textOf(message);
  if (text === undefined) return undefined;
  const value = jsonIn(text);
  return {
    text: text.slice(0, maxShown),
    length: text.length,
    json: value === undefined ? undefined : valueTree(value),
  };
}

/** The value of a text that is JSON with an object or a list; undefined for any other. */
export function jsonIn(text: string): unknown {
  if (text.length > maxParsed || !/^\s*[[{]/.test(text)) return undefined;
  try {
    return fromPortableValue(parsePortableJson(text));
  } catch {
    return undefined;
  }
}
