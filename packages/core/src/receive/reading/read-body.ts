import { isPromise, type Scheduler } from "@waybill/foundation";
import type { Awaitable } from "../../contracts/serializer.js";
import type { DeliveredMessage } from "../../contracts/transport.js";
import { WaybillError } from "../../errors/error.js";
import type { DeserializationOutcome } from "../../message/outcome.js";
import { unreadReport } from "../../message/unread-report.js";
import type { DeserializeCallOptions } from "../../pipeline/call-options.js";
import type { Pipeline } from "../../pipeline/pipeline.js";
import { ReadingGate } from "./reading-gate.js";

/** Shared by all clients, because they share the memory of the process. */
const readings = new ReadingGate();

/** Reads the body of a delivered message; with tightened limits, alone: it may have crashed the process which read it before. */
export function readInTurn(
  pipeline: Pipeline,
  delivered: DeliveredMessage,
  options: DeserializeCallOptions,
  scheduler: Scheduler,
): Awaitable<DeserializationOutcome> {
  const entered = readings.enter(options.limits === "tightened" ? "alone" : "among-others", scheduler);
  if (isPromise(entered)) {
    return entered.then(async (kind) => {
      const outcome = await readBody(pipeline, delivered, options);
      readings.leave(kind);
      return outcome;
    });
  }
  // No promise while the serializer is synchronous: this is the path of almost every message.
  const outcome = readBody(pipeline, delivered, options);
  if (isPromise(outcome)) return outcome.finally(() => readings.leave(entered));
  readings.leave(entered);
  return outcome;
}

/**
 * Reads the body of a message. Never throws or rejects: if a custom pipeline throws, the outcome is `unavailable`, so that the message is
 * not lost.
 */
export function readBody(
  pipeline: Pipeline,
  delivered: DeliveredMessage,
  options?: DeserializeCallOptions,
): Awaitable<DeserializationOutcome> {
  try {
    const outcome = pipeline.deserialize(delivered, options);
    return isPromise(outcome) ? outcome.catch((error: unknown) => brokenPipeline(delivered, error)) : outcome;
  } catch (error) {
    return brokenPipeline(delivered, error);
  }
}

function brokenPipeline(delivered: DeliveredMessage, error: unknown): DeserializationOutcome {
  return { status: "unavailable", error: WaybillError.from(error), report: unreadReport(delivered) };
}
