import assert from "node:assert/strict";
import { type Serializer, WaybillError } from "@waybill/core";
import {
  type DeserializeContext,
  parseMediaType,
  reasonCodes,
  type SerializeContext,
  type SerializedBody,
} from "@waybill/core/serializer";
import { required } from "@waybill/foundation";
import type { Case } from "../case.js";
import type { MessageSetting, SerializerSubject } from "./serializer-subject.js";

/** The depth limit of cases that do not set another. */
export const suiteMaxDepth = 128;

/** The items limit of cases that do not set another. */
const usualMaxItems = 1_000_000;

/** How much processor time reading may take: a base in milliseconds, and one more millisecond for each `bytesPerMs` bytes of the body. */
const timeLimit = { refusalMs: 50, bytesPerMs: 4 * 1024 };

/** The outcome of a body: a value, or a refusal with its reason. */
export type Harness =
  | { readonly status: "value"; readonly value: unknown }
  | { readonly status: "refusal"; readonly error: WaybillError };

/** Creates cases of a subject, each with a new serializer; names begin with the subject of the cases. */
export function serializerCase(subject: SerializerSubject, about: string) {
  return (name: string, run: (serializer: Serializer) => Promise<void>): Case => ({
    name: `${about}: ${name}`,
    run: async () => run(await subject.create()),
  });
}

/** How a body is passed to the serializer. */
export interface Offer {
  readonly bytes: Uint8Array;
  /** Whether the content type names the serializer. */
  readonly isDeclared: boolean;
  readonly contentType?: string | undefined;
  readonly message?: MessageSetting | undefined;
  readonly maxDepth?: number;
  readonly maxItems?: number;
  readonly signal?: AbortSignal;
}

/** Writes a value and returns the body with its content type. Rejects with the error of the serializer. */
export async function write(
  serializer: Serializer,
  value: unknown,
  message: MessageSetting = {},
  limits: { readonly maxDepth?: number; readonly maxItems?: number; readonly signal?: AbortSignal } = {},
): Promise<Required<SerializedBody>> {
  const written = await serializer.serialize(value, {
    ...messageContext(message, message.contentType),
    abortSignal: limits.signal,
    maxDepth: limits.maxDepth ?? suiteMaxDepth,
    maxItemsIn: () => limits.maxItems ?? usualMaxItems,
  } satisfies SerializeContext);
  assert.ok(written?.bytes instanceof Uint8Array, "serialize returns { bytes } with a Uint8Array");
  const contentType = message.contentType ?? written.contentType ?? serializer.mediaTypes[0];
  assert.equal(typeof contentType, "string", "a written body has a content type");
  return { bytes: written.bytes, contentType: required(contentType) };
}

/** The context of a call of `deserialize`. */
export function readContext(serializer: Serializer, offer: Offer): DeserializeContext {
  const contentType = offer.isDeclared
    ? (offer.message?.contentType ?? offer.contentType ?? serializer.mediaTypes[0])
    : undefined;
  return {
    ...messageContext(offer.message ?? {}, contentType),
    abortSignal: offer.signal,
    isDeclared: offer.isDeclared,
    maxDepth: offer.maxDepth ?? suiteMaxDepth,
    maxItems: offer.maxItems ?? usualMaxItems,
  };
}

/** Reads a body with the serializer. An improper refusal, or any other error, fails the case. */
export async function read(serializer: Serializer, offer: Offer): Promise<Harness> {
  let value: unknown;
  try {
    value = await serializer.deserialize(offer.bytes, readContext(serializer, offer));
  } catch (error) {
    assertIsUnpolluted({});
    return { status: "refusal", error: assertProperRefusal(error) };
  }
  assert.notEqual(
    value,
    undefined,
    "deserialize returned undefined, which a pipeline does not accept as a value",
  );
  assertIsUnpolluted(value);
  return { status: "value", value };
}

/**
 * Reads a body and fails unless the call ends, with any outcome, within the limit of processor time. A slow first try is repeated, so that a busy
 * machine does not fail the serializer. A call that never ends is left to the time limit of the test runner.
 */
export async function readQuickly(serializer: Serializer, offer: Offer, name: string): Promise<Harness> {
  const limitMs = Math.ceil(timeLimit.refusalMs + offer.bytes.length / timeLimit.bytesPerMs);
  const firstMs = performance.now();
  const first = await read(serializer, offer);
  let workMs = performance.now() - firstMs;
  if (workMs <= limitMs) return first;
  // Measuring the processor time takes longer than most readings.
  for (let attempt = 1; attempt < 5; attempt++) {
    const startMs = performance.now();
    const start = process.cpuUsage();
    const harness = await read(serializer, offer);
    const { user, system } = process.cpuUsage(start);
    workMs = Math.min(workMs, performance.now() - startMs, (user + system) / 1000);
    if (workMs <= limitMs) return harness;
  }
  return assert.fail(`${name} took ${Math.round(workMs)} ms; the limit is ${limitMs} ms`);
}

/** Reads a body and fails unless it is refused in time. */
export async function readRefused(serializer: Serializer, offer: Offer, name: string): Promise<WaybillError> {
  const harness = await readQuickly(serializer, offer, name);
  assert.ok(harness.status === "refusal", `${name} was read as a value`);
  return harness.error;
}

/** Reads a body and fails unless it is accepted. */
export async function readValue(serializer: Serializer, offer: Offer, name: string): Promise<unknown> {
  const harness = await read(serializer, offer);
  if (harness.status === "refusal")
    return fail(`${name} was refused: ${harness.error.message}`, harness.error);
  return harness.value;
}

/** Asserts that `serialize` threw a proper error for a value that it cannot write. */
export function assertWriteRefusal(error: unknown, name = "a value"): WaybillError {
  if (!(error instanceof WaybillError))
    return fail(`for ${name} serialize threw ${String(error)} instead of an encodeFailure`, error);
  if (error.code !== "serialization-failed")
    return fail(`for ${name} serialize threw ${error.code} instead of an encodeFailure`, error);
  return error;
}

/** Fails with the thrown error as the cause, whose stack shows the mistake. */
export function fail(text: string, cause: unknown): never {
  throw Object.assign(new assert.AssertionError({ message: text, stackStartFn: fail }), { cause });
}

/** The settings of one value, which override those of its subject. */
export function messageSetting(subject: SerializerSubject, own?: MessageSetting): MessageSetting {
  return { ...subject.message, ...own };
}

function messageContext(message: MessageSetting, contentType: string | undefined) {
  return {
    messageType: message.messageType,
    contentType,
    mediaType: contentType === undefined ? undefined : parseMediaType(contentType),
    applicationProperties: message.applicationProperties ?? {},
  };
}

function assertProperRefusal(error: unknown): WaybillError {
  if (!(error instanceof WaybillError)) {
    const kind = error instanceof Error ? error.name : typeof error;
    return fail(`deserialize threw ${kind} instead of a decodeFailure or validationFailure`, error);
  }
  assert.equal(error.code, "deserialization-failed", "a refusal has the code deserialization-failed");
  assert.ok(
    error.reason !== undefined && Object.hasOwn(reasonCodes, error.reason),
    "a refusal has one of the defined reasons",
  );
  assert.notEqual(error.reason, "serializer-fault", "a serializer does not use the reason serializer-fault");
  assert.equal(error.stage, reasonCodes[error.reason], `the stage of ${error.reason}`);
  assert.ok(error.message.length <= 2048, "a refusal has at most 2048 characters");
  return error;
}

/** Fails if a body polluted the prototype of all objects, or replaced that of its value. */
function assertIsUnpolluted(value: unknown): void {
  assert.ok(!("isPolluted" in Object.prototype), "Object.prototype was polluted");
  const pending = [value];
  for (let visited = 0; pending.length > 0 && visited < 10_000; visited++) {
    const next = pending.pop();
    if (typeof next !== "object" || next === null || ArrayBuffer.isView(next)) continue;
    assert.ok(
      !("isPolluted" in next) || Object.hasOwn(next, "isPolluted"),
      "a key of the body replaced an object's prototype",
    );
    for (const member of next instanceof Map ? next.values() : Object.values(next)) pending.push(member);
  }
}
