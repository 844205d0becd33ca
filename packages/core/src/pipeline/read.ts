import type { Awaitable } from "../contracts/serializer.js";
import type { DeserializationOutcome } from "../message/outcome.js";
import { conclude, refusedFor } from "./conclude.js";
import { decode } from "./decode.js";
import type { Reading, Waiting } from "./reading.js";
import { decompress, fetchAndDecrypt } from "./undo-body-transforms.js";
import { identify, openEnvelope, upcast } from "./validate.js";

/**
 * Leaves its result in the reading. Returns a promise only if it waits for a plug-in; throws or rejects with the failure that ends the reading.
 * What few bodies need is in functions of its own, because V8 compiles functions into one only up to a certain size.
 */
type ReadingStage = (reading: Reading) => Waiting;

/** How a body is read. `decode` selects a serializer and validates what it decoded, and if that fails tries the next one. */
const untyped: readonly ReadingStage[] = [fetchAndDecrypt, decompress, decode];

/** The same in a pipeline with message types. */
const typed: readonly ReadingStage[] = [identify, ...untyped, openEnvelope, upcast];

/** Reads a body, from one of the stages on. Never throws or rejects because of the body, and returns a promise only if a stage does. */
export function read(reading: Reading, from = 0): Awaitable<DeserializationOutcome> {
  const stages = reading.options.messageTypes === undefined ? untyped : typed;
  try {
    for (let at = from; at < stages.length && !reading.isRefused; at++) {
      const waiting = stages[at]?.(reading);
      if (waiting !== undefined) return readOn(reading, waiting, at + 1);
    }
    return conclude(reading);
  } catch (error) {
    return refusedFor(reading, error);
  }
}

/** Not part of `read`, because V8 would allocate the variables of these closures for every body, also where no stage waits. */
function readOn(
  reading: Reading,
  waiting: Promise<undefined>,
  from: number,
): Promise<DeserializationOutcome> {
  return waiting.then(
    () => read(reading, from),
    (error: unknown) => refusedFor(reading, error),
  );
}
