import { gunzipSync, gzipSync } from "node:zlib";
import { WaybillError } from "@waybill/core";

/** The state of an item's session: what is kept of the work on it. */
export interface ItemState {
  /** How often a worker has begun since the item last got on. */
  readonly attempts: number;
  /** From where to go on. */
  readonly progress?: string | undefined;
  /** What came out; then the item is finished. */
  readonly result?: string | undefined;
  /** Why nothing can come out; then the item is finished, too. */
  readonly error?: WorkError | undefined;
}

/** The code and the text of a `WaybillError`. */
export interface WorkError {
  readonly code: string;
  readonly text: string;
}

/** A state with a result or an error. */
export type FinishedState = Pick<ItemState, "result" | "error">;

/** Whether nothing is left to do. */
export function isFinished(state: ItemState): boolean {
  return state.result !== undefined || state.error !== undefined;
}

/** The state of a job's own session. */
export interface JobState {
  /** When it began, as ISO 8601. */
  readonly startedAt: string;
  readonly run: string;
  /** What was asked for: it is resumed for the same only. */
  readonly ask: string;
  /** How many waves of items were put into the queue. */
  readonly wavesPut: number;
  /** Whether the result was handed over, and its items are being removed. */
  readonly isHandedOver: boolean;
}

/** A state for the broker. Compressed: a session's state may be no larger than a message, 256 KB in the Standard tier. */
export function formatState(state: ItemState | JobState): Uint8Array {
  return Uint8Array.from(gzipSync(JSON.stringify(state)));
}

/** Reads what {@link formatState} wrote. Throws `operation-invalid` for a state that somebody else wrote. */
export function parseState<State extends ItemState | JobState>(
  bytes: Uint8Array,
  sessionId: string,
  entityPath: string,
): State {
  try {
    const state: unknown = JSON.parse(gunzipSync(bytes, { maxOutputLength: maxStateBytes }).toString("utf8"));
    if (typeof state === "object" && state !== null && ("attempts" in state || "run" in state))
      return state as State;
  } catch {
    // Reported below.
  }
  throw new WaybillError(
    "operation-invalid",
    `The state of session "${sessionId}" is none of shared work: give shared work a queue of its own.`,
    { entityPath },
  );
}

/** Far more than the groups of one entity need. */
const maxStateBytes = 256 * 1024 * 1024;
