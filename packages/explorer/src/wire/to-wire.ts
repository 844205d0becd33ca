/** JSON of any response: bigints as decimal strings, instants in ISO 8601, bytes in Base64. */
export function toWire(value: unknown, indentation?: number): string {
  return JSON.stringify(value, replaced, indentation);
}

function replaced(_key: string, value: unknown): unknown {
  if (typeof value === "bigint") return String(value);
  return value instanceof Uint8Array ? Buffer.from(value).toString("base64") : value;
}
