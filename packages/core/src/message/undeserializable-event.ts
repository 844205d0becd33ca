import type { WaybillError } from "../errors/error.js";
import type { UndecodedMessage } from "./message.js";

/**
 * What happened to a message whose body could not be read: `deadLettered` with its record; `held` locked, to be read again, because a
 * dependency is unavailable or its circuit is open; `deferred` until it can be read or its circuit closes, because too many are held;
 * `abandoned`: after a delay, because it is for another reader, or at once, because its processor is closing; `quarantined`: sent raw to the quarantine queue; `handedOver` raw to the application, because
 * it could not be settled; `blocked`: its session stops at it; `unsettled`: settling it failed, and its lock will expire.
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

/** A received message that could not be read, and what happened to it. */
export interface UndeserializableEvent {
  /** The message with its raw body. Its `failure` says why it could not be read. */
  readonly message: UndecodedMessage;
  readonly entityPath: string;
  readonly disposition: UndeserializableDisposition;
  /** `deserialization-failed` or `unavailable`. */
  readonly error: WaybillError;
  /** Why settling or quarantining it failed; set with `unsettled`, and with `handedOver` if sending to the quarantine queue failed. */
  readonly settlementError: unknown;
}
