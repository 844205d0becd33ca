import { WaybillError } from "../error.js";
import type { Awaitable, DeserializeContext, Serializer } from "../serializer.js";
import { withinTime } from "../within-time.js";
import { decodeFailure } from "./failure.js";

/**
 * Lets one serializer read a body, with the guards that none can forget: a serializer that has not proven itself gets a copy of the
 * bytes and has the depth of its value checked; one that answers with a promise must settle in time; a guessed value must be a
 * container; no value at all is a failure. Throws or rejects with a `WaybillError` that carries a reason.
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

/** Whether a plug-in answered with a promise, or with anything that can be awaited like one. */
export function isPromise(value: unknown): value is Promise<unknown> {
  return (
    value instanceof Promise ||
    (typeof value === "object" && value !== null && "then" in value && typeof value.then === "function")
  );
}

/** Turns whatever a plug-in threw into a failure with a reason. A foreign error stays out, text and all: it may quote the payload. */
export function toFailure(error: unknown): WaybillError {
  if (error instanceof WaybillError) {
    if (error.reason !== undefined) return error;
    if (error.code === "unavailable" || error.code === "aborted" || error.code === "timeout") {
      return new WaybillError("unavailable", error.message, {
        cause: error,
        reason: "unavailable",
        stage: "decode",
      });
    }
  }
  const kind = error instanceof Error ? error.name : typeof error;
  return decodeFailure("serializer-fault", `The serializer threw an unexpected ${kind}.`);
}

/** A Buffer's own `slice` would be a view on the same memory. */
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
    const limit = { who: "The serializer", timeoutMs, signal: context.signal };
    return accepted(await withinTime(limit, () => value), serializer, context);
  } catch (error) {
    throw toFailure(error);
  }
}

function accepted(value: unknown, serializer: Serializer, context: DeserializeContext): unknown {
  if (value === undefined) throw decodeFailure("value-missing", "The serializer returned no value.");
  // A header of the format's own is evidence enough, whatever follows it.
  if (!context.isDeclared && serializer.detection !== "magic" && !isContainer(value)) {
    throw decodeFailure(
      "root-not-container",
      "Without a content type only an object or an array is taken for a value.",
    );
  }
  if (serializer.conforming !== true && !isShallow(value, context.maxDepth)) {
    throw decodeFailure("depth-exceeded", `The value is nested deeper than ${context.maxDepth} levels.`);
  }
  return value;
}

function isContainer(value: unknown): boolean {
  return (
    typeof value === "object" && value !== null && !ArrayBuffer.isView(value) && !(value instanceof Date)
  );
}

/**
 * Level by level and without recursion, so that the value cannot be too deep for the check; a cycle is too deep as well. A set per
 * level, because shared references would otherwise double the work with each level.
 */
function isShallow(value: unknown, maxDepth: number): boolean {
  let level = new Set<unknown>([value]);
  for (let depth = 0; level.size > 0; depth++) {
    const next = new Set<unknown>();
    for (const item of level) {
      if (!isContainer(item)) continue;
      if (depth === maxDepth) return false;
      for (const child of children(item as object)) {
        if (typeof child === "object" && child !== null) next.add(child);
      }
    }
    level = next;
  }
  return true;
}

function children(container: object): Iterable<unknown> {
  if (Array.isArray(container) || container instanceof Set) return container;
  if (container instanceof Map) return container.values();
  return Object.values(container);
}
