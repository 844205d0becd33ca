import type { ApplicationProperties, EncodedMessage } from "@waybill/core";
import type { DeliveredMessage } from "@waybill/core/transport";
import type { ExplorerContext } from "../options/explorer-options.js";
import { type MessageView, messageView } from "./message-view.js";

/** A body that is not in a queue, with its properties. */
export interface LooseBody {
  readonly body: Uint8Array;
  readonly contentType?: string | undefined;
  readonly subject?: string | undefined;
  readonly applicationProperties?: ApplicationProperties | undefined;
}

/** Reads a body that is not in a queue with the chain. */
export async function decodeBody(context: ExplorerContext, loose: LooseBody): Promise<MessageView> {
  const message: EncodedMessage = { ...loose, applicationProperties: loose.applicationProperties ?? {} };
  const delivered = { ...message, deliveryCount: 0, sequenceNumber: 0n, state: "active" };
  return await messageView(context, delivered as DeliveredMessage);
}
