import { brokerProperties } from "../message/broker-properties.js";
import type { MessageId } from "../message/message.js";

/**
 * One text for an id however it travels, because some stacks turn numbers and bytes into strings on the way; undefined when there is no id
 * or it is longer than a message id can be.
 */
export function correlationKey(id: MessageId | undefined): string | undefined {
  if (id === undefined) return undefined;
  const key = id instanceof Uint8Array ? Array.from(id.subarray(0, maxLength), toHex).join("") : String(id);
  return key.length > 2 * maxLength ? undefined : key;
}

const { maxLength } = brokerProperties.messageId as { maxLength: number };

function toHex(byte: number): string {
  return byte.toString(16).padStart(2, "0");
}
