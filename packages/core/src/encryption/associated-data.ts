/** What an encrypted body is bound to: with one of these changed it cannot be decrypted. */
export interface AssociatedData {
  readonly algorithm: string;
  readonly keyId: string;
  readonly contentType: string | undefined;
  readonly messageType: string | undefined;
  readonly contentEncoding: string | undefined;
}

/**
 * The bytes that AES-GCM authenticates beside the body: algorithm, key id, content type, message type and content encoding, in this order,
 * each as its length in UTF-8 (32 bits, big-endian) and its UTF-8. An absent text counts as an empty one, because not every
 * hop tells them apart.
 */
export function associatedData(data: AssociatedData): Uint8Array<ArrayBuffer> {
  const { algorithm, keyId, contentType, messageType, contentEncoding } = data;
  const encoder = new TextEncoder();
  const texts = [algorithm, keyId, contentType, messageType, contentEncoding].map((text) =>
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
