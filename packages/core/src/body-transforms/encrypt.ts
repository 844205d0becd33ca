import { base64 } from "@waybill/foundation";
import { decodeFailure } from "../errors/failure.js";
import type { ApplicationProperties, EncodedMessage } from "../message/message.js";
import { type AssociatedData, associatedData } from "./associated-data.js";
import { parseBoundList } from "./authenticated-part.js";
import type { ClaimCheck } from "./claim-check.js";
import { contentEncodingOf } from "./compression.js";
import { isKeyId, type KeyRing } from "./key-ring.js";
import { encryptionDetails, encryptionProperty } from "./sealing-properties.js";

/** The only supported algorithm. Source: NIST SP 800-38D. */
const algorithm = "AES-256-GCM";

/** In bytes. Random nonces of this length are safe for 2^32 messages with one key. Source: NIST SP 800-38D, 8.3. */
const nonceLength = 12;

/** In bytes; the tag is at the end of the ciphertext, as in Web Crypto. */
const tagLength = 16;

/** What a body is bound to in addition to what every body is bound to. */
export interface Binding {
  /** Names of application properties, whether or not they are set. */
  readonly names: readonly string[];
  /** The key under which the encrypted body will be stored as a claim check, if it is. */
  readonly claimCheckKey: string | undefined;
}

/** Encrypts the body with the current key and adds the application properties. */
export async function encrypt(
  message: EncodedMessage,
  keyRing: KeyRing,
  { names, claimCheckKey: key }: Binding,
): Promise<EncodedMessage> {
  const { id, key: encryptionKey } = await keyRing.current();
  const nonce = globalThis.crypto.getRandomValues(new Uint8Array(nonceLength));
  const plain = message.body as Uint8Array<ArrayBuffer>;
  const list = JSON.stringify(names);
  // No reader would accept a list that is too long.
  parseBoundList(list);
  const claimCheck = key === undefined ? undefined : { key, bytes: encryptedLength(plain.length) };
  const additionalData = associatedData(boundTo(message, id, { list, names }, claimCheck));
  const parameters = { name: "AES-GCM", iv: nonce, additionalData, tagLength: tagLength * 8 };
  const body = new Uint8Array(
    await globalThis.crypto.subtle.encrypt(parameters, encryptionKey as CryptoKey, plain),
  );
  const applicationProperties = {
    ...message.applicationProperties,
    [encryptionProperty]: algorithm,
    [encryptionDetails.keyId]: id,
    [encryptionDetails.nonce]: base64(nonce),
    [encryptionDetails.bound]: list,
  };
  return { ...message, body, applicationProperties };
}

/** The length of a body after encryption, in bytes. */
export function encryptedLength(plainLength: number): number {
  return plainLength + tagLength;
}

/** The encryption properties of a message. */
export interface EncryptionLabel {
  readonly keyId: string;
  readonly nonce: Uint8Array<ArrayBuffer>;
  /** The bound application properties. */
  readonly bound: BoundList;
}

/** Names of application properties, and their list as in the message. */
export interface BoundList {
  readonly list: string;
  readonly names: readonly string[];
}

/** Reads the encryption properties. Throws `encryption-unsupported` or `encryption-malformed`. */
export function readEncryptionLabel(properties: ApplicationProperties): EncryptionLabel {
  const name = properties[encryptionProperty] ?? undefined;
  if (name === undefined) {
    throw decodeFailure("encryption-malformed", "The message has lost the name of its encryption.");
  }
  if (name !== algorithm) {
    throw decodeFailure(
      "encryption-unsupported",
      `The body is encrypted by something else than ${algorithm}.`,
    );
  }
  const keyId = properties[encryptionDetails.keyId];
  const nonce = decodeBase64(properties[encryptionDetails.nonce]);
  if (!isKeyId(keyId)) throw decodeFailure("encryption-malformed", "The id of the key is missing.");
  if (nonce?.length !== nonceLength) {
    throw decodeFailure("encryption-malformed", `The nonce is not ${nonceLength} bytes in base64.`);
  }
  const list = properties[encryptionDetails.bound];
  return { keyId, nonce, bound: { list: String(list), names: parseBoundList(list) } };
}

/**
 * Decrypts a body. Rejects with `key-unknown`, with `decryption-failed` when the body or anything it is bound to was changed, and with
 * `unavailable` when the key provider is unavailable.
 */
export async function decrypt(
  body: Uint8Array,
  message: EncodedMessage,
  { keyId, nonce, bound }: EncryptionLabel,
  claimCheck: ClaimCheck | undefined,
  keyRing: KeyRing,
): Promise<Uint8Array> {
  const { key } = await keyRing.find(keyId);
  const additionalData = associatedData(boundTo(message, keyId, bound, claimCheck));
  const parameters = { name: "AES-GCM", iv: nonce, additionalData, tagLength: tagLength * 8 };
  try {
    const plain = await globalThis.crypto.subtle.decrypt(
      parameters,
      key as CryptoKey,
      body as Uint8Array<ArrayBuffer>,
    );
    return new Uint8Array(plain);
  } catch {
    // Web Crypto gives no reason, and the error must not help an attacker.
    throw decodeFailure(
      "decryption-failed",
      "The body does not belong to its key, nonce, content type, content encoding, message type and version.",
    );
  }
}

function boundTo(
  message: EncodedMessage,
  keyId: string,
  { list, names }: BoundList,
  claimCheck: Pick<ClaimCheck, "key" | "bytes"> | undefined,
): AssociatedData {
  const { contentType, subject, applicationProperties = {} } = message;
  const contentEncoding = contentEncodingOf(message);
  if (contentEncoding !== undefined && typeof contentEncoding !== "string") {
    throw decodeFailure(
      "decryption-failed",
      "The Content-Encoding is not a text, so no body is bound to it.",
    );
  }
  return {
    algorithm,
    keyId,
    contentType,
    messageType: subject,
    contentEncoding,
    list,
    claimCheck,
    values: names.map((name) => ownValue(applicationProperties, name)),
  };
}

/** Only own properties, because the names come from the wire. */
function ownValue(properties: ApplicationProperties, name: string) {
  return Object.hasOwn(properties, name) ? properties[name] : undefined;
}

function decodeBase64(text: unknown): Uint8Array<ArrayBuffer> | undefined {
  if (typeof text !== "string" || text.length > 64) return undefined;
  try {
    return Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
  } catch {
    return undefined;
  }
}
