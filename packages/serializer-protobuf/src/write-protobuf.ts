import {
  create,
  type DescMessage,
  isMessage,
  type Message,
  type MessageInitShape,
  toBinary,
} from "@bufbuild/protobuf";
import { WaybillError } from "@waybill/core";
import {
  type BodyCheck,
  encodeFailure,
  type SerializeContext,
  type SerializedBody,
} from "@waybill/core/serializer";
import { checkWire } from "./check-wire.js";
import type { FoundType } from "./message-descriptor.js";

/** Writes a message of protobuf-es, or an object that can be converted to one. Throws `encodeFailure`. */
export function writeProtobuf(
  value: unknown,
  found: FoundType,
  context: SerializeContext,
  check: BodyCheck | undefined,
): SerializedBody {
  const { descriptor } = found;
  if (descriptor === undefined) {
    throw encodeFailure(
      "The body cannot be written as Protobuf: its type is not known. Set a message type or a $typeName that the registry has.",
    );
  }
  if (check !== undefined) {
    const result = check(value);
    if (!result.isValid) throw encodeFailure(result.text);
  }
  try {
    const bytes = toBinary(descriptor, toMessage(value, descriptor, context.maxDepth));
    requireFewItems(bytes, descriptor, context);
    return { bytes, contentType: contentType(descriptor) };
  } catch (error) {
    if (error instanceof WaybillError) throw error;
    // The library's error may quote the value, so it is not passed on.
    throw refused(descriptor, "a field has a value that its type cannot represent");
  }
}

/** Refuses values with more items than readers accept. An item takes at least one byte; a byte string takes two and counts for four. */
function requireFewItems(
  bytes: Uint8Array,
  descriptor: DescMessage,
  { maxDepth, maxItemsIn }: SerializeContext,
): void {
  const maxItems = maxItemsIn?.(bytes.length);
  if (maxItems === undefined || bytes.length * 2 <= maxItems) return;
  try {
    checkWire(bytes, descriptor, { maxDepth, maxItems, unknownFields: "keep" });
  } catch (error) {
    throw error instanceof WaybillError ? encodeFailure(`The body cannot be written: ${error.text}`) : error;
  }
}

/** The content type names the type, as Prometheus and others write it, because the bytes do not. */
function contentType({ typeName }: DescMessage): string {
  return `application/protobuf; proto=${typeName}`;
}

function toMessage(value: unknown, descriptor: DescMessage, maxDepth: number): Message {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw refused(descriptor, "it is not an object");
  checkNesting(value, maxDepth, descriptor);
  if (isMessage(value, descriptor)) return value;
  const named = (value as { $typeName?: unknown }).$typeName;
  if (named !== undefined && named !== descriptor.typeName)
    throw refused(descriptor, "it is a message of another type");
  for (const key of Object.keys(value)) {
    const isKnown = descriptor.members.some(({ localName }) => localName === key) || key.startsWith("$");
    if (!isKnown) throw refused(descriptor, "it has a member that is not a field of the type");
  }
  return create(descriptor, value as MessageInitShape<DescMessage>);
}

/** Without recursion: the library's own would overflow the stack. A cycle is too deep as well. */
function checkNesting(value: object, maxDepth: number, descriptor: DescMessage): void {
  let level = new Set<object>([value]);
  for (let depth = 0; level.size > 0; depth++) {
    if (depth >= maxDepth) throw refused(descriptor, `it is nested beyond ${maxDepth} levels`);
    const next = new Set<object>();
    for (const item of level) {
      if (ArrayBuffer.isView(item)) continue;
      if (Object.hasOwn(item, "__proto__")) throw refused(descriptor, 'it has a key "__proto__"');
      for (const child of Object.values(item))
        if (typeof child === "object" && child !== null) next.add(child);
    }
    level = next;
  }
}

function refused({ typeName }: DescMessage, why: string): WaybillError {
  return encodeFailure(`The body cannot be written as Protobuf of the type ${typeName}: ${why}.`);
}
