import { isPromise } from "@waybill/foundation";
import type { Awaitable, DeserializeContext, Serializer } from "../contracts/serializer.js";
import { withinTime } from "../contracts/within-time.js";
import { byteStringItems, depthExceeded, itemsExceeded } from "../errors/body-failures.js";
import { decodeFailure } from "../errors/failure.js";
import type { MediaType } from "../message/media-type.js";
import type { OpenedBody } from "../message-types/message-type-registry.js";
import { describesBodies } from "../message-types/serializer-checks.js";
import type { ResolvedPipelineOptions } from "./options.js";
import { mayBeEnvelope, type Reading } from "./reading.js";

const encoder = new TextEncoder();

/**
 * Lets one serializer read a body, and enforces the rules of the contract: a serializer that is not `conforming` gets a copy of the bytes,
 * and the depth and items of its value are checked; a promise must settle in time; an undeclared value must be a container; `undefined`
 * is a failure. Throws or rejects with what the serializer throws, or with a failure.
 */
export function deserializeWith(
  serializer: Serializer,
  reading: Reading,
  bytes: Uint8Array,
  contentType: string | undefined,
  mediaType: MediaType | undefined,
  isDeclared: boolean,
): Awaitable<unknown> {
  const { message, known, options } = reading;
  const isEnvelope = mayBeEnvelope(reading) && describesBodies(serializer);
  const context: DeserializeContext = {
    messageType: known === undefined ? message.subject : known.type.name,
    messageVersion: known?.version.version,
    schema: known?.version.schemas[serializer.name],
    contentType,
    mediaType,
    applicationProperties: reading.applicationProperties,
    abortSignal: reading.call.abortSignal,
    isEnvelope,
    isDeclared,
    maxDepth: options.maxDepth,
    maxItems: options.maxItemsIn(bytes.length),
  };
  const value = serializer.deserialize(serializer.conforming === true ? bytes : copyOf(bytes), context);
  return isPromise(value)
    ? acceptedInTime(value, serializer, context, options)
    : accepted(value, serializer, context);
}

/** The body inside an envelope. */
export interface NestedBody {
  readonly value: Awaitable<unknown>;
  /** The serializer of the format that the body has in the envelope; undefined in an AMQP value. */
  readonly serializer: Serializer | undefined;
  /** Whether that serializer read the body itself, and not only the envelope around it. */
  readonly isDecoded: boolean;
}

/**
 * Reads bytes or a text of a format of their own inside an envelope, as a body with their content type, under the limits of a body. They stay as
 * they are if no serializer reads that content type. Throws or rejects with the serializer's failure.
 */
export function nestedBody(reading: Reading, opened: OpenedBody): NestedBody {
  const { body, bodyContentType: contentType, bodySerializer } = opened;
  const outer = { value: body, serializer: reading.link?.serializer, isDecoded: false };
  const bytes = typeof body === "string" ? encoder.encode(body) : body;
  if (contentType === undefined || !(bytes instanceof Uint8Array)) return outer;
  const { link, mediaType } = reading.chain.select(contentType);
  const serializer = link?.serializer ?? bodySerializer;
  if (serializer === undefined) return outer;
  // A failure is that of the serializer inside.
  reading.link = link ?? reading.link;
  if (bytes.length === 0 && serializer.readsEmptyBodies !== true)
    return { value: undefined, serializer, isDecoded: false };
  const { maxBodyBytes } = reading.options;
  if (bytes.length > maxBodyBytes)
    throw decodeFailure("body-too-large", `The body in the envelope is larger than ${maxBodyBytes} bytes.`);
  const value = deserializeWith(serializer, reading, bytes, contentType, mediaType, true);
  return { value, serializer, isDecoded: true };
}

/** The `slice` of a Buffer would be a view on the same memory. */
function copyOf(bytes: Uint8Array): Uint8Array {
  return Uint8Array.prototype.slice.call(bytes);
}

/** Not part of `deserializeWith`, which then allocates no variables of closures. */
async function acceptedInTime(
  value: Promise<unknown>,
  serializer: Serializer,
  context: DeserializeContext,
  { attemptTimeoutInMs: timeoutMs }: ResolvedPipelineOptions,
): Promise<unknown> {
  const limit = { who: "The serializer", timeoutMs, signal: context.abortSignal };
  return accepted(await withinTime(limit, () => value), serializer, context);
}

function accepted(value: unknown, serializer: Serializer, context: DeserializeContext): unknown {
  if (value === undefined) throw decodeFailure("value-missing", "The serializer returned no value.");
  // The format's own header is sufficient evidence.
  if (!context.isDeclared && serializer.detection !== "magic" && !isContainer(value)) {
    throw decodeFailure(
      "root-not-container",
      "Without a content type only an object or an array is taken for a value.",
    );
  }
  if (serializer.conforming !== true) checkExtent(value, context);
  return value;
}

function isContainer(value: unknown): boolean {
  return (
    typeof value === "object" && value !== null && !ArrayBuffer.isView(value) && !(value instanceof Date)
  );
}

/**
 * Walks level by level without recursion, so that a deep value cannot overflow the stack; a cycle exceeds the depth. Each level is a set,
 * because shared references would otherwise double the work at each level.
 */
function checkExtent(
  value: unknown,
  { maxDepth, maxItems = Number.POSITIVE_INFINITY }: DeserializeContext,
): void {
  let itemsLeft = maxItems;
  let level = new Set<unknown>([value]);
  for (let depth = 0; level.size > 0; depth++) {
    const next = new Set<unknown>();
    for (const item of level) {
      if (!isContainer(item)) continue;
      if (depth === maxDepth) throw depthExceeded(maxDepth);
      for (const child of children(item as object)) {
        itemsLeft -= ArrayBuffer.isView(child) ? byteStringItems : 1;
        if (itemsLeft < 0) throw itemsExceeded(maxItems);
        if (typeof child === "object" && child !== null) next.add(child);
      }
    }
    level = next;
  }
}

function children(container: object): Iterable<unknown> {
  if (Array.isArray(container) || container instanceof Set) return container;
  if (container instanceof Map) return container.values();
  return Object.values(container);
}
