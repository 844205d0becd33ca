import type { ReceivedMessage } from "../message/message.js";

/**
 * Why no request is pending for a reply: the request has ended (`late`), or this requester remembers none with that id (`unknown`).
 */
export type UnmatchedReplyKind = "late" | "unknown";

/** How an unmatched reply is settled. `abandon` leaves it to another requester on the same queue. */
export type UnmatchedReplyPolicy = "complete" | "deadLetter" | "abandon";

/** What happened to an unmatched reply; `unsettled` if settling it failed, so that it is delivered again. */
export type UnmatchedReplyDisposition = "completed" | "deadLettered" | "abandoned" | "unsettled";

/** An unmatched reply, and what happened to it. */
export interface UnmatchedReplyEvent {
  readonly message: ReceivedMessage;
  /** The queue or subscription from which it was received. */
  readonly entityPath: string;
  readonly kind: UnmatchedReplyKind;
  readonly disposition: UnmatchedReplyDisposition;
  /** Why settling it failed; set with `unsettled`. */
  readonly settlementError: unknown;
}

/** The `deadLetterReason` of replies that a requester dead-letters. */
export const unmatchedReplyReasons = Object.freeze({ late: "LateReply", unknown: "UnknownReply" } as const);

/** The `deadLetterErrorDescription` for each of these reasons. */
export const unmatchedReplyDescriptions = Object.freeze({
  late: "The request that its correlationId names had ended.",
  unknown:
    "This requester made no request that its correlationId names. Requesters that share a queue need a session each.",
});
