import type { DeserializationReport } from "@waybill/core";
import type { DeliveredMessage } from "@waybill/core/transport";
import { mediaTypeOf } from "../census/media-type-of.js";

/** What the dead letters of one group have in common, however today's chain reads them. */
export interface DeadLetterKind {
  /** Why they were dead-lettered; undefined without a reason. */
  readonly deadLetterReason: string | undefined;
  /** Without parameters; `"(none)"` without a content type, `"(malformed)"` for one that cannot be parsed. */
  readonly mediaType: string;
  /** The message type of the body, or else the subject. */
  readonly messageType: string | undefined;
  /** The version of the body on the wire; undefined for an untyped message. */
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
