import type { Awaitable, DeserializeContext, Serializer } from "../contracts/serializer.js";
import { decodeFailure } from "../errors/failure.js";
import { toFailure } from "../errors/to-failure.js";
import { isPromise } from "../foundation/is-promise.js";
import { withinTime } from "../foundation/within-time.js";
import { byteStringItems, depthExceeded, itemsExceeded } from "./limits.js";

/**
 * Lets one serializer read a body, and enforces the rules of the contract: a serializer that is not `conforming` gets a copy of the bytes,
 * and the depth and items of its value are checked; a promise must settle in time; an undeclared value must be a container; `undefined`
 * is a failure. Throws or rejects with a `WaybillError` that has a reason.
 */
export function attempt(
  serializer: Serializer,
  bytes: Uint8Array,
  context: DeserializeContext,
  timeoutMs: number,
): Awaitable<unknown> {
  let value: Awaitable<unknown>;
  try {
    value = serializer.deserialize(serializer.conforming === true ? bytes : copyOf(bytes), context);
  } catch (error) {
    throw toFailure(error);
  }
  return isPromise(value)
    ? settled(value, serializer, context, timeoutMs)
    : accepted(value, serializer, context);
}

/** The `slice` of a Buffer would be a view on the same memory. */
function copyOf(bytes: Uint8Array): Uint8Array {
  return Uint8Array.prototype.slice.call(bytes);
}

async function settled(
  value: Promise<unknown>,
  serializer: Serializer,
  context: DeserializeContext,
  timeoutMs: number,
): Promise<unknown> {
  try {
    const limit = { who: "The serializer", timeoutMs, signal: context.abortSignal };
    return accepted(await withinTime(limit, () => value), serializer, context);
  } catch (error) {
    throw toFailure(error);
  }
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
