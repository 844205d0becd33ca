import { type Resolved, requireInteger, withDefaults } from "@waybill/foundation";
import type { Awaitable } from "../contracts/serializer.js";
import type { CallOptions } from "../contracts/transport.js";
import { requireWebCrypto } from "../message/web-crypto.js";

/** The part of a Web Crypto `CryptoKey` that is used; it must be an AES-GCM key of 256 bits that may encrypt or decrypt. */
export interface WebCryptoKey {
  readonly type: string;
  readonly algorithm: { readonly name: string };
  readonly usages: readonly string[];
}

/** A key of 256 bits: 32 bytes, or a Web Crypto key. */
export type EncryptionKeyMaterial = Uint8Array | WebCryptoKey;

/** A key and its id in messages. */
export interface EncryptionKey {
  /** Sent unencrypted. 1 to 256 characters. */
  readonly id: string;
  readonly key: EncryptionKeyMaterial;
}

/** Provides keys, for example from a key vault. Results are cached for `keyCacheDurationInMs`. */
export interface EncryptionKeyProvider {
  /** The key for messages sent now. If it throws, sending fails with `unavailable`. */
  currentKey(options: CallOptions): Awaitable<EncryptionKey>;
  /**
   * The key for the id of a received message, which any sender may have written. Undefined if there is no such key: the message is
   * dead-lettered with `key-unknown`. If it throws, the key is unavailable: the message is read again later.
   */
  findKey(id: string, options: CallOptions): Awaitable<EncryptionKeyMaterial | undefined>;
}

/** Options of encrypting bodies. */
export interface EncryptionOptions {
  /** Provides the keys. */
  readonly keys: EncryptionKeyProvider;
  /**
   * Also reads bodies that are not encrypted, while not all producers encrypt yet. Default false: they are dead-lettered with
   * `plaintext-refused`. An encrypted body that cannot be decrypted is never read as plaintext.
   */
  readonly allowPlaintext?: boolean | undefined;
  /**
   * Application properties that decide how a body is read, in addition to those of type and version. Bodies are bound to them when they are
   * encrypted; a received body that is not bound to them is refused with `decryption-failed`. Serializers and upcasters see no others. Default none.
   */
  readonly boundProperties?: readonly string[] | undefined;
  /** How long a key is cached, in milliseconds; 0 calls the provider for every message. Default 300 000. A key rotation takes effect after this time. */
  readonly keyCacheDurationInMs?: number | undefined;
  /** How many keys are cached; the oldest is dropped first. Default 100. */
  readonly keyCacheSize?: number | undefined;
}

/** {@link EncryptionOptions} with every default filled in. */
export type ResolvedEncryptionOptions = Resolved<EncryptionOptions>;

const defaults = Object.freeze({
  keys: undefined,
  allowPlaintext: false,
  boundProperties: Object.freeze([]),
  keyCacheDurationInMs: 300_000,
  keyCacheSize: 100,
});

/** Checks the options and fills in the defaults. Throws `TypeError`, or `configuration-invalid` where there is no Web Crypto. */
export function resolveEncryption(
  options: EncryptionOptions | undefined,
): ResolvedEncryptionOptions | undefined {
  if (options === undefined) return undefined;
  const resolved = withDefaults("encryption", options, defaults);
  const { keys, boundProperties, keyCacheDurationInMs, keyCacheSize } = resolved;
  if (typeof keys?.currentKey !== "function" || typeof keys.findKey !== "function") {
    throw new TypeError("encryption.keys must be an EncryptionKeyProvider.");
  }
  requireWebCrypto("Encryption");
  requireInteger("encryption.keyCacheDurationInMs", keyCacheDurationInMs, 0);
  requireInteger("encryption.keyCacheSize", keyCacheSize, 0);
  return Object.freeze({ ...resolved, boundProperties: names(boundProperties) });
}

function names(value: readonly string[]): readonly string[] {
  const isList = Array.isArray(value) && value.every((name) => typeof name === "string" && name !== "");
  if (isList && value.length <= 32) return Object.freeze([...value]);
  throw new TypeError(
    "encryption.boundProperties must be an array of at most 32 names of application properties.",
  );
}
