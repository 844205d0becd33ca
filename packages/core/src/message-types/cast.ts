import { isPromise } from "@waybill/foundation";
import type { Awaitable } from "../contracts/serializer.js";
import { withinTime } from "../contracts/within-time.js";
import type { ConverterContext, VersionStep } from "./message-type.js";

/** Creates the error for a failed step. `text` leaves out the converter's message, because it may quote the payload. */
export type CastFailure = (text: string, error: unknown) => Error;

/**
 * Converts a body from one version to another, step by step. Returns a value unless a converter returns a promise, which must settle
 * within `timeoutMs`. Throws or rejects with the result of `failure`.
 */
export function cast(
  body: unknown,
  steps: readonly VersionStep[],
  context: ConverterContext,
  timeoutMs: number,
  failure: CastFailure,
): Awaitable<unknown> {
  return castFrom(0, body, { steps, context, timeoutMs, failure });
}

interface Casting {
  readonly steps: readonly VersionStep[];
  readonly context: ConverterContext;
  readonly timeoutMs: number;
  readonly failure: CastFailure;
}

function castFrom(start: number, body: unknown, casting: Casting): Awaitable<unknown> {
  const { steps, context, failure } = casting;
  let current = body;
  for (let index = start; ; index++) {
    const step = steps[index];
    if (step === undefined) return current;
    let next: unknown;
    try {
      next = step.cast(current, context);
    } catch (error) {
      throw failure(`${describeStep(step)} threw ${nameOf(error)}.`, error);
    }
    if (isPromise(next)) {
      return settledStep(step, next, casting).then((value) => castFrom(index + 1, value, casting));
    }
    current = required(next, step, failure);
  }
}

async function settledStep(step: VersionStep, promise: Promise<unknown>, casting: Casting): Promise<unknown> {
  const { context, timeoutMs, failure } = casting;
  const limit = { who: describeStep(step), timeoutMs, signal: context.abortSignal };
  let value: unknown;
  try {
    value = await withinTime(limit, () => promise);
  } catch (error) {
    throw failure(`${describeStep(step)} rejected with ${nameOf(error)}.`, error);
  }
  return required(value, step, failure);
}

function required(value: unknown, step: VersionStep, failure: CastFailure): unknown {
  if (value === undefined) throw failure(`${describeStep(step)} returned nothing.`, undefined);
  return value;
}

function describeStep({ from, to }: VersionStep): string {
  return `The ${from < to ? "upcaster" : "downcaster"} from version ${from} to ${to}`;
}

function nameOf(error: unknown): string {
  return error instanceof Error ? `a ${error.name}` : `a ${typeof error}`;
}
