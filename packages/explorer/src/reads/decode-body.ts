import type { ApplicationProperties, EncodedMessage } from "@waybill/core";
import type { DeliveredMessage } from "@waybill/core/transport";
import type { ExplorerContext } from "../options/explorer-options.js";
import { type MessageView, messageView } from "./message-view.js";

/** A body without a queue around it, with what it says of itself. */
export interface LooseBody {
  readonly body: Uint8Array;
  readonly contentType?: string | undefined;
  readonly subject?: string | undefined;
  readonly applicationProperties?: ApplicationProperties | undefined;
}

/** What the chain makes of a body that came from somewhere else. */
export async function decodeBody(context: ExplorerContext, loose: LooseBody): Promise<MessageView> {
  const message: EncodedMessage = { ...loose, applicationProperties: loose.applicationProperties ?? {} };
  const delivered = { ...message, deliveryCount: 0, sequenceNumber: 0n, state: "active" };
  return await messageView(context, delivered as DeliveredMessage);
}
