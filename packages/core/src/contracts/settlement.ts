import type { MessageId } from "../message/message.js";
import type { DeliveredMessage } from "./transport.js";

/** The four ways to settle a message, named like the methods of a transport. */
export type SettlementVerb = "complete" | "abandon" | "defer" | "deadLetter";

/** The part of a received message that is needed to settle it. */
export interface SettleableMessage {
  readonly messageId?: MessageId | undefined;
  readonly settlement?: object | undefined;
}

/** The `settlement` of a received message. */
export interface Settlement {
  readonly message: DeliveredMessage;
}
