/** Requests and replies: options, requesters, unmatched replies. */

export type { TypedMessageProperties } from "./message-types/message-type.js";
export type { RepliableMessage } from "./request-reply/reply.js";
export type {
  AddressedRequest,
  ReplySourceOptions,
  RequesterOptions,
  RequestManyOptions,
  RequestMessage,
  RequestOptions,
} from "./request-reply/request-options.js";
export type {
  UnmatchedReplyDisposition,
  UnmatchedReplyEvent,
  UnmatchedReplyKind,
  UnmatchedReplyPolicy,
} from "./request-reply/unmatched-reply.js";
