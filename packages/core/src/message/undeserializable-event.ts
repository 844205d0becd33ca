import type { WaybillError } from "../errors/error.js";
import type { UndecodedMessage } from "./message.js";

/**
 * What became of a message whose body could not be read: `deadLettered` with its record; `held` locked, to be read again, because something
 * it needs is out of reach or the circuit breaker is open; `deferred`, to come back when its circuit closes, because too many are held;
 * `abandoned`, to come again after a back-off, because it is for a newer instance; `quarantined`, sent raw to the quarantine queue;
 * `handedOver` raw to the application, because it could not be settled; `blocked`, because its session stops at it; `unsettled`, because
 * settling it failed and its lock will run out.
 */
export type UndeserializableDisposition =
  | "deadLettered"
  | "held"
  | "deferred"
  | "abandoned"
  | "quarantined"
  | "handedOver"
  | "blocked"
  | "unsettled";

/** Says that a received message could not be read, and what became of it. */
export interface UndeserializableEvent {
  /** The message, raw and marked. Its `failure` says why. */
  readonly message: UndecodedMessage;
  readonly entityPath: string;
  readonly disposition: UndeserializableDisposition;
  /** `deserialization-failed` or `unavailable`. */
  readonly error: WaybillError;
  /** Why settling or quarantining it failed; set with `unsettled`, and with `handedOver` when the quarantine queue refused it. */
  readonly settlementError: unknown;
}
