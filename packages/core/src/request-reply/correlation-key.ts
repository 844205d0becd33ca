import { brokerProperties } from "../message/broker-properties.js";
import type { MessageId } from "../message/message.js";

/**
 * The same string for an id of any type, because some stacks convert numbers and bytes to strings; undefined without an id, and for one
 * longer than a message id may be.
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
