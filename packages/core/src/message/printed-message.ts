import { base64, isObject } from "@waybill/foundation";
import type { Unavailable, Undeserializable } from "./outcome.js";

/**
 * What a log shows of a received message: its properties that are set and its body. Not its settlement, and not `rawBody` if the body was
 * read from it.
 */
export function printedMessage(message: object): Record<string, unknown> {
  const printed: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(message)) {
    if (value === undefined || name === "settlement") continue;
    if (name === "rawBody" && !("failure" in message)) continue;
    printed[name] = name === "failure" ? printedFailure(value as Undeserializable | Unavailable) : value;
  }
  return printed;
}

/** Leaves out the report, because the message itself has it. */
function printedFailure({ report: _, ...failure }: Undeserializable | Unavailable): object {
  return failure;
}

/**
 * Converts a value for `JSON.stringify`: bigints, which it refuses, to strings of digits, bytes to base64. Cycles are left for
 * `JSON.stringify` to refuse.
 */
export function jsonValue(value: unknown, ancestors: readonly object[] = []): unknown {
  if (typeof value === "bigint") return String(value);
  if (!isObject(value) || ancestors.includes(value)) return value;
  if (value instanceof Uint8Array) return base64(value);
  const within = [...ancestors, value];
  const { toJSON } = value as { readonly toJSON?: unknown };
  if (typeof toJSON === "function") return jsonValue(toJSON.call(value, ""), within);
  if (value instanceof Error) return { name: value.name, message: value.message };
  if (Array.isArray(value)) return value.map((item) => jsonValue(item, within));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, jsonValue(item, within)]));
}
