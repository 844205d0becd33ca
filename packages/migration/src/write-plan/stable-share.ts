import type { Message } from "@waybill/core";

/** The number of shares: a percentage has two decimal places. */
export const shareCount = 10_000;

/**
 * Which of 10,000 shares a key falls into. FNV-1a (32 bit) over the UTF-8 bytes of the message type, a line feed and the key, then the
 * finalizer of MurmurHash3, so that keys that differ in the last character spread evenly; the upper bits choose the share. The same in every
 * process, so that all senders decide alike. Source: RFC draft-eastlake-fnv, github.com/aappleby/smhasher.
 */
export function shareOf(messageType: string, key: string | Uint8Array): number {
  let hash = fnv(fnvText(fnvOffset, messageType), 0x0a);
  hash = typeof key === "string" ? fnvText(hash, key) : key.reduce(fnv, hash);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return Math.floor(((hash ^ (hash >>> 16)) >>> 0) * (shareCount / 2 ** 32));
}

/**
 * The default key of a message: the session id, else the partition key, else the message id. Undefined when a message has none of them; its
 * share is then random.
 */
export function stableKey({ sessionId, partitionKey, messageId }: Message): string | Uint8Array | undefined {
  const key = sessionId ?? partitionKey ?? messageId;
  return key === undefined || typeof key === "string" || key instanceof Uint8Array ? key : String(key);
}

const fnvOffset = 0x811c9dc5;
const encoder = new TextEncoder();

function fnv(hash: number, byte: number): number {
  return Math.imul(hash ^ byte, 0x01000193);
}

function fnvText(start: number, text: string): number {
  let hash = start;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code > 0x7f) return encoder.encode(text).reduce(fnv, start);
    hash = fnv(hash, code);
  }
  return hash;
}
