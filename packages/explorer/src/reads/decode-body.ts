import type { EncodedMessage } from "@waybill/core";
import type { DeliveredMessage } from "@waybill/core/transport";
import type { ExplorerContext } from "../options/explorer-options.js";
import { type MessageView, messageView } from "./message-view.js";

/** Reads a body that is not in a queue with the chain. */
export async function decodeBody(context: ExplorerContext, message: EncodedMessage): Promise<MessageView> {
  const { applicationProperties = {} } = message;
  const delivered = {
    ...message,
    applicationProperties,
    deliveryCount: 0,
    sequenceNumber: 0n,
    state: "active",
  };
  return await messageView(context, delivered as DeliveredMessage);
}
