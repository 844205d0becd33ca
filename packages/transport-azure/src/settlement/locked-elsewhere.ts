import type { SettlementHandle } from "@waybill/core/transport";
import { AzureDelivery } from "./azure-delivery.js";

/**
 * The settlement handle of a message that another connection holds locked: a receiver of its entity settles it and renews its lock by a request
 * with the lock token. The service accepts that for messages without a session.
 */
export function lockedElsewhere(lockToken: string): SettlementHandle {
  // The SDK settles by a request what no link delivered.
  const message = { body: undefined, lockToken, state: "active", _rawAmqpMessage: {}, delivery: {} } as const;
  return new AzureDelivery(message);
}
