import type { WaybillError } from "../errors/error.js";
import type { MessageId, ReceivedMessage } from "../message/message.js";

/** What a request does after a reply: waits for `more`, ends with it (`last`), or ends without it because its buffer is full (`refused`). */
export type ReplyAnswer = "more" | "last" | "refused";

/** Receives the replies to one request. */
export interface ReplyListener {
  take(reply: ReceivedMessage): ReplyAnswer;
  /** Called with the error of an undeserializable reply. */
  takeUndeserializable(error: WaybillError): "more" | "last";
  /** Called when the timeout ends after the request was sent. */
  expire(error: WaybillError): void;
  fail(error: unknown): void;
}

/** One pending request. */
export interface PendingRequest {
  readonly key: string;
  readonly messageId: MessageId;
  /** Where the request goes. */
  readonly entityPath: string;
  readonly listener: ReplyListener;
  readonly timeoutMs: number;
  readonly deadlineMs: number;
  readonly abortSignal: AbortSignal | undefined;
  /** Called when its signal aborts. */
  readonly abort: () => void;
  /** Removes the listener from the signal. */
  stopListening: () => void;
  /** Whether it was passed to the broker, so that replies may arrive. */
  isSent: boolean;
  isEnded: boolean;
}
