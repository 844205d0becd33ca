import type { EncodedMessage } from "../../message/message.js";

/** The key whose messages stay in order: the session, else the partition key. Service Bus wants both to be equal if both are set. */
export function keyOf({ sessionId, partitionKey }: EncodedMessage): string | undefined {
  return sessionId ?? partitionKey;
}
