import type { Awaitable } from "../contracts/serializer.js";
import type { CallOptions } from "../contracts/transport.js";
import { requireInteger } from "../foundation/integer.js";
import { type OptionNames, requireKnownOptions } from "../foundation/known-options.js";
import { requireWebCrypto } from "../foundation/web-crypto.js";

/** The part of a Web Crypto `CryptoKey` that is looked at; it must be an AES-GCM key of 256 bits that may encrypt or decrypt. */
export interface WebCryptoKey {
  readonly type: string;
  readonly algorithm: { readonly name: string };
  readonly usages: readonly string[];
}

/** A key of 256 bits: 32 bytes, or a Web Crypto key. */
export type EncryptionKeyMaterial = Uint8Array | WebCryptoKey;

/** A key and the id by which messages name it. */
export interface EncryptionKey {
  /** Travels in the clear. 1 to 256 characters. */
  readonly id: string;
  readonly key: EncryptionKeyMaterial;
}

/** A key ring: hands out keys, from a key vault for example. Answers are remembered for `keyCacheDurationInMs`. */
export interface EncryptionKeyProvider {
  /** The key that encrypts what is sent now. What it throws fails the send with `unavailable`. */
  currentKey(options: CallOptions): Awaitable<EncryptionKey>;
  /**
   * The key of an id that stands on a message, which anybody may have written. Undefined says that there is no such key: the message is
   * dead-lettered with `key-unknown`. What it throws says that the key is out of reach: the message comes back later.
   */
  findKey(id: string, options: CallOptions): Awaitable<EncryptionKeyMaterial | undefined>;
}

/** How bodies are encrypted. */
export interface EncryptionOptions {
  /** Where keys come from. */
  readonly keys: EncryptionKeyProvider;
  /**
   * Reads bodies that are not encrypted too, for the time in which not every producer encrypts. Default false: they are dead-lettered with
   * `plaintext-refused`. An encrypted body that cannot be decrypted is never read as plaintext.
   */
  readonly allowPlaintext?: boolean | undefined;
  /**
   * Application properties that decide how a body is read, besides those of type and version: a body is bound to them when it is encrypted,
   * and one that is not bound to them is refused with `decryption-failed`. Default none.
   */
  readonly boundProperties?: readonly string[] | undefined;
  /**
   * Reads bodies of earlier releases too, whose message version is not bound: whoever can change the property `messageVersion` on the way
   * can have them read as another version. Their report says `encryptionBinding: "partial"`. Default true; set it to false once
   * none are left.
   */
  readonly allowPartialBinding?: boolean | undefined;
  /** How long a key is remembered, in milliseconds; 0 asks for every message. Default 300 000. A rotation is noticed after so long. */
  readonly keyCacheDurationInMs?: number | undefined;
  /** How many keys are remembered; the one that was asked for longest ago is forgotten first. Default 100. */
  readonly keyCacheSize?: number | undefined;
}

/** {@link EncryptionOptions} with every default filled in. */
export interface ResolvedEncryptionOptions {
  readonly keys: EncryptionKeyProvider;
  readonly allowPlaintext: boolean;
  readonly boundProperties: readonly string[];
  readonly allowPartialBinding: boolean;
  readonly keyCacheDurationInMs: number;
  readonly keyCacheSize: number;
}

const defaults = Object.freeze({
  allowPlaintext: false,
  boundProperties: Object.freeze([]),
  allowPartialBinding: true,
  keyCacheDurationInMs: 300_000,
  keyCacheSize: 100,
});

const optionNames: OptionNames<EncryptionOptions> = {
  keys: true,
  allowPlaintext: true,
  boundProperties: true,
  allowPartialBinding: true,
  keyCacheDurationInMs: true,
  keyCacheSize: true,
};

/** Checks the options and fills in the defaults. Throws `TypeError`, or `configuration-invalid` where there is no Web Crypto. */
export function resolveEncryption(
  options: EncryptionOptions | undefined,
): ResolvedEncryptionOptions | undefined {
  if (options === undefined) return undefined;
  requireKnownOptions("encryption", options, optionNames);
  const { keys } = options;
  if (typeof keys?.currentKey !== "function" || typeof keys.findKey !== "function") {
    throw new TypeError("encryption.keys must be an EncryptionKeyProvider.");
  }
  requireWebCrypto("Encryption");
  return Object.freeze({
    keys,
    allowPlaintext: options.allowPlaintext ?? defaults.allowPlaintext,
    boundProperties: names(options.boundProperties ?? defaults.boundProperties),
    allowPartialBinding: options.allowPartialBinding ?? defaults.allowPartialBinding,
    keyCacheDurationInMs: requireInteger(
      "encryption.keyCacheDurationInMs",
      options.keyCacheDurationInMs ?? defaults.keyCacheDurationInMs,
      0,
    ),
    keyCacheSize: requireInteger("encryption.keyCacheSize", options.keyCacheSize ?? defaults.keyCacheSize, 0),
  });
}

function names(value: readonly string[]): readonly string[] {
  const isList = Array.isArray(value) && value.every((name) => typeof name === "string" && name !== "");
  if (isList && value.length <= 32) return Object.freeze([...value]);
  throw new TypeError(
    "encryption.boundProperties must be an array of at most 32 names of application properties.",
  );
}
