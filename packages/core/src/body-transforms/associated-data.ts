import { hex } from "@waybill/foundation";
import type { ApplicationPropertyValue } from "../message/message.js";

/** What an encrypted body is bound to: if any of it is changed, decryption fails. */
export interface AssociatedData {
  readonly algorithm: string;
  readonly keyId: string;
  readonly contentType: string | undefined;
  readonly messageType: string | undefined;
  readonly contentEncoding: string | undefined;
  /** The list of names as in the message. */
  readonly list: string;
  /** The key and length of the body in the claim-check store; undefined for a body in the message. */
  readonly claimCheck: { readonly key: string; readonly bytes: number } | undefined;
  /** The values of the listed application properties, in the order of the list. */
  readonly values: readonly (ApplicationPropertyValue | undefined)[];
}

/**
 * The bytes that AES-GCM authenticates in addition to the body: algorithm, key id, content type, message type and content encoding, then the
 * list of bound application properties, the claim check and the values of the listed properties, in this order, each as its length in UTF-8
 * (32 bits, big-endian) and its UTF-8. If one of the first five is absent, it counts as empty, because not every hop distinguishes these.
 */
export function associatedData(data: AssociatedData): Uint8Array<ArrayBuffer> {
  const { algorithm, keyId, contentType, messageType, contentEncoding, list, claimCheck, values } = data;
  const encoder = new TextEncoder();
  const claim = claimCheck === undefined ? "" : `${claimCheck.key} ${claimCheck.bytes}`;
  const named = [algorithm, keyId, contentType, messageType, contentEncoding, list, claim];
  const texts = [...named, ...values.map(textOf)].map((text) => encoder.encode(text ?? ""));
  const bytes = new Uint8Array(texts.reduce((length, text) => length + 4 + text.length, 0));
  const view = new DataView(bytes.buffer);
  let offset = 0;
  for (const text of texts) {
    view.setUint32(offset, text.length);
    bytes.set(text, offset + 4);
    offset += 4 + text.length;
  }
  return bytes;
}

/** A value with its kind. Types of numbers are not distinguished, because not every hop keeps them. */
function textOf(value: ApplicationPropertyValue | undefined): string {
  if (value === undefined) return "-";
  // Readers tell null from absent, so adding a null in transit must not go unnoticed.
  if (value === null) return "0";
  if (typeof value === "string") return `s${value}`;
  if (typeof value === "number" || typeof value === "bigint") return `n${value}`;
  if (typeof value === "boolean") return `b${value}`;
  if (value instanceof Date) return `d${value.getTime()}`;
  return `x${hex(value)}`;
}
