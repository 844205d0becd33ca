import type { ReceivedMessage } from "../message/message.js";

/**
 * Why nobody waits for a reply: its request has ended (`late`), or this requester made none with that id, as far as it remembers
 * (`unknown`).
 */
export type UnmatchedReplyKind = "late" | "unknown";

/** How a reply is settled that nobody waits for. `abandon` gives it back, for another requester on the same queue. */
export type UnmatchedReplyPolicy = "complete" | "deadLetter" | "abandon";

/** What became of a reply that nobody waits for; `unsettled` if settling it failed, so that it comes again. */
export type UnmatchedReplyDisposition = "completed" | "deadLettered" | "abandoned" | "unsettled";

/** Tells an application of a reply that nobody waits for. */
export interface UnmatchedReplyEvent {
  readonly message: ReceivedMessage;
  /** The queue or subscription that it came from. */
  readonly entityPath: string;
  readonly kind: UnmatchedReplyKind;
  readonly disposition: UnmatchedReplyDisposition;
  /** Why settling it failed; set with `unsettled`. */
  readonly settlementError: unknown;
}

/** The `deadLetterReason` of replies that a requester dead-letters. */
export const unmatchedReplyReasons = Object.freeze({ late: "LateReply", unknown: "UnknownReply" } as const);

/** The `deadLetterErrorDescription` that goes with it. */
export const unmatchedReplyDescriptions = Object.freeze({
  late: "The request that its correlationId names had ended.",
  unknown:
    "This requester made no request that its correlationId names. Requesters that share a queue need a session each.",
});
