/** The type codes of AMQP that stand in front of values which rhea hands out as bytes. Source: AMQP 1.0, 1.6. */
const code = { ulong: 0x80, long: 0x81, uuid: 0x98, binary8: 0xa0 } as const;

/** The last byte of a value section's descriptor: its number, or the `*` of `amqp:value:*`. */
const valueSectionEndings: readonly number[] = [0x77, 0x2a];

/**
 * A value as rhea decoded it, without the guesses. 64-bit integers beyond 2^53, uuids and binary all arrive as `Buffer`; it is a view on
 * what came over the network, so the type code is still there in front of it. Integers become `bigint`, uuids text, binary
 * `Uint8Array`; described values lose their descriptor.
 */
export function fromAmqpValue(value: unknown): unknown {
  if (typeof value !== "object" || value === null || value instanceof Date) return value;
  if (value instanceof Uint8Array) return fromBytes(value);
  if (Array.isArray(value)) return value.map(fromAmqpValue);
  if (isTyped(value)) return fromAmqpValue(value.value);
  if (value instanceof Map) return new Map(Array.from(value, (entry) => entry.map(fromAmqpValue) as never));
  return fromAmqpMap(value);
}

/** The entries of a map whose keys are text, as own properties whatever their names. */
export function fromAmqpMap(map: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(map).map(([name, value]) => [name, fromAmqpValue(value)]));
}

/** Whether bytes that the SDK calls a data section were an AMQP value: it does not tell the two apart. */
export function isValueSection(bytes: Uint8Array): boolean {
  if (!isBinary(bytes)) return true;
  const isShort = byteBefore(bytes, 2) === code.binary8 && byteBefore(bytes, 1) === bytes.length;
  return valueSectionEndings.includes(byteBefore(bytes, isShort ? 3 : 6));
}

/** The same bytes without the class of Node, whose `slice` and JSON form differ. */
export function plainBytes({ buffer, byteOffset, byteLength }: Uint8Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

function fromBytes(bytes: Uint8Array): unknown {
  const { buffer, byteOffset } = bytes;
  if (isOf(bytes, code.long, 8)) return new DataView(buffer, byteOffset, 8).getBigInt64(0);
  if (isOf(bytes, code.ulong, 8)) return new DataView(buffer, byteOffset, 8).getBigUint64(0);
  return isOf(bytes, code.uuid, 16) ? uuidText(bytes) : plainBytes(bytes);
}

function isBinary(bytes: Uint8Array): boolean {
  return !(isOf(bytes, code.long, 8) || isOf(bytes, code.ulong, 8) || isOf(bytes, code.uuid, 16));
}

/** In front of binary of 8 or 16 bytes stands that length, so no binary looks like one of these. */
function isOf(bytes: Uint8Array, typeCode: number, length: number): boolean {
  return bytes.length === length && byteBefore(bytes, 1) === typeCode;
}

function byteBefore({ buffer, byteOffset }: Uint8Array, distance: number): number {
  return byteOffset < distance ? -1 : new Uint8Array(buffer, byteOffset - distance, 1)[0]!;
}

function uuidText(bytes: Uint8Array): string {
  const hex = Buffer.from(bytes).toString("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}

/** What rhea leaves as it is: values with a descriptor, for example a time span of .NET. */
function isTyped(value: object): value is { value: unknown } {
  return "descriptor" in value && "type" in value && "value" in value && typeof value.type === "object";
}
