import { printable } from "./printable.js";

/** JSON that is safe to print: bigints as decimal strings, dates in ISO 8601, bytes in Base64, errors by their stack, unprintable characters escaped. */
export function toJson(value: unknown, indentation?: number): string {
  const text = JSON.stringify(value, replaced, indentation);
  // Unprintable characters occur only within strings, where their escape means the same.
  return indentation === undefined ? printable(text) : text.split("\n").map(printable).join("\n");
}

function replaced(this: unknown, _key: string, value: unknown): unknown {
  if (typeof value === "bigint") return String(value);
  if (value instanceof Error) return value.stack;
  return value instanceof Uint8Array ? Buffer.from(value).toString("base64") : value;
}
