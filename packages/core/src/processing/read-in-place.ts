import type { CircuitBreaker } from "../circuit-breaker/circuit-breaker.js";
import {
  type Intake,
  type IntakePolicy,
  type IntakeResult,
  isUndeserializableEvent,
} from "../delivery/intake.js";
import type { WaybillError } from "../errors/error.js";
import { pause } from "../foundation/pause.js";
import { backoffDelayMs, type UnavailableBackoff } from "../holding/unavailable-backoff.js";
import type { InFlightMessage } from "./in-flight-message.js";

/** Dependencies for reading in place. */
export interface ReadInPlaceSettings {
  readonly intake: Intake;
  readonly breaker: CircuitBreaker | undefined;
  readonly backoff: Required<UnavailableBackoff>;
  /** Restarts the time for which the session's lock is renewed. */
  readonly keepLock: (() => void) | undefined;
  readonly policy: IntakePolicy | undefined;
  /** Ends the delays between attempts. */
  readonly signal: AbortSignal;
}

/**
 * Reads a held message repeatedly until the result is not `held` any more, while the messages behind it wait, because their order counts.
 * Resolves with undefined when the signal aborts.
 */
export async function readInPlace(
  inFlight: InFlightMessage,
  error: WaybillError,
  settings: ReadInPlaceSettings,
): Promise<IntakeResult | undefined> {
  const { intake, breaker, keepLock, policy, signal } = settings;
  let lastError = error;
  for (let attempts = 0; ; attempts += 1) {
    await pause(delayMs(lastError, attempts, settings), intake.settings.scheduler, signal);
    if (signal.aborted || inFlight.isAborted) return undefined;
    keepLock?.();
    breaker?.beginProbe();
    const result = await intake.read(inFlight.delivered, inFlight.delivery, policy);
    if (!isUndeserializableEvent(result) || result.disposition !== "held") return result;
    lastError = result.error;
  }
}

function delayMs(
  { code }: WaybillError,
  attempts: number,
  { breaker, backoff }: ReadInPlaceSettings,
): number {
  return code === "unavailable" || breaker === undefined
    ? backoffDelayMs(backoff, attempts)
    : breaker.options.probeIntervalInMs;
}
