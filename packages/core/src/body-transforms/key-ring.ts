import { WaybillError } from "../errors/error.js";
import { decodeFailure, unavailableAt } from "../errors/failure.js";
import { askProvider } from "./ask-provider.js";
import type {
  EncryptionKeyMaterial,
  EncryptionKeyProvider,
  ResolvedEncryptionOptions,
  WebCryptoKey,
} from "./encryption-options.js";

/**
 * A key for Web Crypto: a `CryptoKey`. Declarations do not use that type, because programs without the DOM types do not have it.
 */
export interface ReadyKey {
  readonly id: string;
  readonly key: WebCryptoKey;
}

interface Remembered<T> {
  readonly value: Promise<T>;
  readonly untilMs: number;
}

/** Limited, because ids also come from the wire. */
const maxIdLength = 256;

const keyRings = new WeakMap<ResolvedEncryptionOptions, KeyRing>();

/** The keys of the pipeline with these options. */
export function keyRingOf(options: ResolvedEncryptionOptions, timeoutMs: number): KeyRing {
  const known = keyRings.get(options);
  const keyRing = known ?? new KeyRing(options, timeoutMs);
  if (known === undefined) keyRings.set(options, keyRing);
  return keyRing;
}

/** The keys of one pipeline. Concurrent requests call the provider once, and its results are cached. */
export class KeyRing {
  readonly #provider: EncryptionKeyProvider;
  readonly #cacheMs: number;
  readonly #cacheSize: number;
  readonly #timeoutMs: number;
  readonly #found = new Map<string, Remembered<ReadyKey>>();
  #current: Remembered<ReadyKey> | undefined;

  constructor({ keys, keyCacheDurationInMs, keyCacheSize }: ResolvedEncryptionOptions, timeoutMs: number) {
    this.#provider = keys;
    this.#cacheMs = keyCacheDurationInMs;
    this.#cacheSize = keyCacheSize;
    this.#timeoutMs = timeoutMs;
  }

  /** The key to encrypt with. Rejects with `unavailable`, or `serialization-failed` when the provider returned no usable key. */
  current(): Promise<ReadyKey> {
    if (isFresh(this.#current)) return this.#current.value;
    const remembered = this.#remember(this.#askCurrent());
    this.#current = remembered;
    remembered.value.catch(() => {
      if (this.#current === remembered) this.#current = undefined;
    });
    return remembered.value;
  }

  /** The key for an id from the wire. Rejects with `key-unknown` when there is none, with `unavailable` when the provider is unavailable. */
  find(id: string): Promise<ReadyKey> {
    const known = this.#found.get(id);
    if (isFresh(known)) return known.value;
    const remembered = this.#remember(this.#askFor(id));
    this.#found.delete(id);
    this.#found.set(id, remembered);
    // A map keeps the order of insertion.
    const [oldest] = this.#found.keys();
    if (this.#found.size > this.#cacheSize && oldest !== undefined) this.#found.delete(oldest);
    remembered.value.catch(() => {
      if (this.#found.get(id) === remembered) this.#found.delete(id);
    });
    return remembered.value;
  }

  async #askCurrent(): Promise<ReadyKey> {
    const current = await this.#ask((options) => this.#provider.currentKey(options));
    const { id, key } = current ?? {};
    if (!isKeyId(id) || key === undefined) {
      throw new WaybillError(
        "serialization-failed",
        "The key provider returned no key with an id to encrypt with.",
      );
    }
    return { id, key: await ready(key, "encrypt") };
  }

  async #askFor(id: string): Promise<ReadyKey> {
    const key = await this.#ask((options) => this.#provider.findKey(id, options));
    if (key === undefined || key === null) {
      throw decodeFailure("key-unknown", `The key ring has no key ${JSON.stringify(id)}.`);
    }
    return { id, key: await ready(key, "decrypt") };
  }

  #ask<T>(work: (options: { readonly abortSignal: AbortSignal }) => T | Promise<T>): Promise<T> {
    // Not the caller's signal, because others may wait for the same result.
    const limit = { who: "The key provider", timeoutMs: this.#timeoutMs, signal: undefined };
    return askProvider("decrypt", "The key provider failed.", limit, work);
  }

  #remember<T>(value: Promise<T>): Remembered<T> {
    return { value, untilMs: performance.now() + this.#cacheMs };
  }
}

/** Whether a value is a valid key id. */
export function isKeyId(id: unknown): id is string {
  return typeof id === "string" && id !== "" && id.length <= maxIdLength;
}

function isFresh<T>(remembered: Remembered<T> | undefined): remembered is Remembered<T> {
  return remembered !== undefined && performance.now() < remembered.untilMs;
}

async function ready(key: EncryptionKeyMaterial, usage: "encrypt" | "decrypt"): Promise<WebCryptoKey> {
  if (key instanceof Uint8Array && key.length === 32) {
    return globalThis.crypto.subtle.importKey("raw", key as Uint8Array<ArrayBuffer>, "AES-GCM", false, [
      usage,
    ]);
  }
  const { algorithm, usages } = key as WebCryptoKey;
  const { name, length } = (algorithm ?? {}) as Partial<AesKeyAlgorithm>;
  if (name === "AES-GCM" && length === 256 && usages.includes(usage)) return key as WebCryptoKey;
  // Not the message's fault: it is read again until the provider is fixed.
  throw unavailableAt(
    "decrypt",
    `The key provider returned something other than a 256-bit AES key that may ${usage}.`,
  );
}
