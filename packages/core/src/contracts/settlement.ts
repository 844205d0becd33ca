import type { MessageId } from "../message/message.js";
import type { DeliveredMessage } from "./transport.js";

/** The four ways to settle, by their name on the transport. */
export type SettlementVerb = "complete" | "abandon" | "defer" | "deadLetter";

/** What settling needs of a received message. */
export interface SettleableMessage {
  readonly messageId?: MessageId | undefined;
  readonly settlement?: object | undefined;
}

/** A settlement in progress: it knows the message as it was delivered. */
export interface Settlement {
  readonly message: DeliveredMessage;
}
