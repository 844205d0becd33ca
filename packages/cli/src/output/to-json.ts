import { printable } from "./printable.js";

/** JSON for people and programs: 64-bit numbers in decimal as texts, instants in ISO 8601, bytes in Base64, errors by their stack, and nothing that plays with a terminal. */
export function toJson(value: unknown, indentation?: number): string {
  const text = JSON.stringify(value, replaced, indentation);
  // What is not printable stands within texts only, where its escape means the same.
  return indentation === undefined ? printable(text) : text.split("\n").map(printable).join("\n");
}

function replaced(this: unknown, _key: string, value: unknown): unknown {
  if (typeof value === "bigint") return String(value);
  if (value instanceof Error) return value.stack;
  return value instanceof Uint8Array ? Buffer.from(value).toString("base64") : value;
}
