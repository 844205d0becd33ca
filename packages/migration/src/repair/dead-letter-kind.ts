import type { DeserializationReport } from "@waybill/core";
import type { DeliveredMessage } from "@waybill/core/transport";
import { mediaTypeOf } from "../census/media-type-of.js";

/** What dead letters of one group have in common, whatever today's chain makes of each. */
export interface DeadLetterKind {
  /** Why they were dead-lettered; undefined where nobody said. */
  readonly deadLetterReason: string | undefined;
  /** Without parameters; `"(none)"` and `"(malformed)"` where there is none to speak of. */
  readonly mediaType: string;
  /** The message type as which the body is read, or else the subject. */
  readonly messageType: string | undefined;
  readonly messageVersion: number | undefined;
}

/** The kind of one dead letter. */
export function deadLetterKind(message: DeliveredMessage, report: DeserializationReport): DeadLetterKind {
  return {
    deadLetterReason: message.deadLetterReason?.slice(0, 256),
    mediaType: mediaTypeOf(message.contentType),
    messageType: (report.messageType ?? message.subject)?.slice(0, 128),
    messageVersion: report.messageVersion,
  };
}

/** Whether two kinds are the same. */
export function isSameKind(one: DeadLetterKind, two: DeadLetterKind): boolean {
  return (
    one.deadLetterReason === two.deadLetterReason &&
    one.mediaType === two.mediaType &&
    one.messageType === two.messageType &&
    one.messageVersion === two.messageVersion
  );
}
