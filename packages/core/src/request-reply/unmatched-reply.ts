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

/** Why a requester dead-letters such replies. */
export const unmatchedReplies = Object.freeze({
  late: {
    deadLetterReason: "LateReply",
    deadLetterErrorDescription: "The request that its correlationId names had ended.",
  },
  unknown: {
    deadLetterReason: "UnknownReply",
    deadLetterErrorDescription:
      "This requester made no request that its correlationId names. Requesters that share a queue need a session each.",
  },
});
