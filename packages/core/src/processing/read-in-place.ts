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

/** What reading in place works with. */
export interface ReadInPlaceSettings {
  readonly intake: Intake;
  readonly breaker: CircuitBreaker | undefined;
  readonly backoff: Required<UnavailableBackoff>;
  /** Renews the session's lock for as long again. */
  readonly keepLock: (() => void) | undefined;
  readonly policy: IntakePolicy | undefined;
  /** Ends the waiting. */
  readonly signal: AbortSignal;
}

/**
 * Reads a message that cannot be read now, again and again, until that ends in something else. Where order counts, this is how the
 * messages behind it wait. Resolves with undefined when the waiting was ended.
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
