/** What an operation makes of a thing: a message by `store/id`, a session's state by `session/id`, an entity by `entity/path`. */
export type Effect = readonly [thing: string, state: string];

/** The state of a thing that is not there. */
export const absent = "absent";
/** The state of a message where nothing more of it is compared. */
export const sentState = "sent";

/** What is known of the lock under which a message came. Times are those of the wall clock, in ms. */
export interface Delivery {
  /** Its sequence number, where one belongs to one message. */
  readonly sequence?: string | undefined;
  /** When it was locked at the latest. Default when it came. */
  readonly lockedAt?: number | undefined;
  /** Until when nobody else may get it. Default never mind. */
  readonly lockedUntil?: number | undefined;
}

/** All that is there at an instant. What is absent is left out. */
export interface Found {
  readonly things: readonly Effect[];
  readonly sequences: readonly (readonly [store: string, sequence: string, id: string])[];
}

/** What happens, one line each, in the order in which it happens. No two attempts of a journal have the same time. */
export type LedgerLine =
  | readonly [kind: "try", at: number, verb: string, effects: readonly Effect[]]
  /** An attempt was acknowledged. */
  | readonly [kind: "ok", triedAt: number, at: number]
  | readonly [kind: "got", at: number, store: string, id: string, delivery: Delivery]
  /** A lock is about to be given back. */
  | readonly [kind: "release", at: number, store: string, id: string]
  /** A number under which an acknowledged message was received. */
  | readonly [kind: "seen", store: string, sequence: string, id: string]
  | readonly [kind: "found", at: number, found: Found]
  /** Something that is only counted. */
  | readonly [kind: "note", what: string]
  | readonly [kind: "error", code: string]
  /** Something that must not happen, noticed on the spot. */
  | readonly [kind: "violation", text: string];
