import type { WaybillError } from "../errors/error.js";
import type { MessageId, ReceivedMessage } from "../message/message.js";

/** What a request does with a reply: waits for `more`, takes it as the `last`, or has no room for it and ends (`refused`). */
export type ReplyAnswer = "more" | "last" | "refused";

/** Who waits for the replies to one request. */
export interface ReplyListener {
  take(reply: ReceivedMessage): ReplyAnswer;
  /** A reply came whose body cannot be deserialized. */
  takeUndeserializable(error: WaybillError): "more" | "last";
  /** The time is up after the request was sent. */
  expire(error: WaybillError): void;
  fail(error: unknown): void;
}

/** One request between its beginning and its end. */
export interface PendingRequest {
  readonly key: string;
  readonly messageId: MessageId;
  /** Where the request goes. */
  readonly entityPath: string;
  readonly listener: ReplyListener;
  readonly timeoutMs: number;
  readonly deadlineMs: number;
  readonly abortSignal: AbortSignal | undefined;
  /** Ends it when its signal aborts. */
  readonly giveUp: () => void;
  /** Takes the listener off the signal. */
  stopListening: () => void;
  /** Whether it was handed to the broker, so that replies may come. */
  isSent: boolean;
  isEnded: boolean;
}
