import type { ApplicationPropertyValue } from "../message/message.js";

/** What an encrypted body is bound to: with one of these changed it cannot be decrypted. */
export interface AssociatedData {
  readonly algorithm: string;
  readonly keyId: string;
  readonly contentType: string | undefined;
  readonly messageType: string | undefined;
  readonly contentEncoding: string | undefined;
  /** Undefined for a body of the earlier binding, which ends here. */
  readonly more: BoundMore | undefined;
}

/** What the binding holds beyond the earlier one's. */
export interface BoundMore {
  /** The list of names as it travels. */
  readonly list: string;
  /** Where the body lies, and its length there; undefined for a body that travels with the message. */
  readonly claimCheck: { readonly key: string; readonly bytes: number } | undefined;
  /** The values of the application properties that the list names, in its order. */
  readonly values: readonly (ApplicationPropertyValue | undefined)[];
}

/**
 * The bytes that AES-GCM authenticates beside the body: algorithm, key id, content type, message type and content encoding, then the list of bound
 * application properties, the claim check and the values of the listed properties, in this order, each as its length in UTF-8 (32 bits,
 * big-endian) and its UTF-8. An absent one of the first five counts as an empty text, because not every hop tells them apart.
 */
export function associatedData(data: AssociatedData): Uint8Array<ArrayBuffer> {
  const { algorithm, keyId, contentType, messageType, contentEncoding, more } = data;
  const encoder = new TextEncoder();
  const texts = [algorithm, keyId, contentType, messageType, contentEncoding, ...textsOf(more)].map((text) =>
    encoder.encode(text ?? ""),
  );
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

function textsOf(more: BoundMore | undefined): readonly string[] {
  if (more === undefined) return [];
  const { list, claimCheck, values } = more;
  return [
    list,
    claimCheck === undefined ? "" : `${claimCheck.key} ${claimCheck.bytes}`,
    ...values.map(textOf),
  ];
}

/** A value with the kind that decides how it is read; the widths of numbers are not kept on every hop. */
function textOf(value: ApplicationPropertyValue | undefined): string {
  if (value === undefined || value === null) return "-";
  if (typeof value === "string") return `s${value}`;
  if (typeof value === "number" || typeof value === "bigint") return `n${value}`;
  if (typeof value === "boolean") return `b${value}`;
  if (value instanceof Date) return `d${value.getTime()}`;
  return `x${Array.from(value, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}
