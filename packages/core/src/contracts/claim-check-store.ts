import { requireInteger } from "../foundation/integer.js";
import { type OptionNames, requireKnownOptions } from "../foundation/known-options.js";
import { requireWebCrypto } from "../foundation/web-crypto.js";
import type { CallOptions } from "./transport.js";

/** How much of a stored body may be read. */
export interface ClaimCheckGetOptions extends CallOptions {
  /** The length in bytes that the message announces. A store reads one byte more at most. */
  readonly maxBytes: number;
}

/**
 * Keeps bodies that are too large to travel. Keys are made by waybill: 1 to 200 characters, segments of letters, digits, `.`, `_` and
 * `-` that begin with a letter or digit, separated by `/`. Whatever a store throws says that it is out of reach: the message
 * comes back later. `@waybill/conformance` checks all of this.
 */
export interface ClaimCheckStore {
  /** Keeps a copy of the bytes under a new key; resolves when they are safe. Keeps all of them or none. */
  put(key: string, bytes: Uint8Array, options: CallOptions): Promise<void>;
  /** The bytes, or undefined when there is nothing under the key; if there is more than `maxBytes`, any longer piece of it. */
  get(key: string, options: ClaimCheckGetOptions): Promise<Uint8Array | undefined>;
  /** Removes what is under the key; harmless when there is nothing. */
  delete(key: string, options?: CallOptions): Promise<void>;
}

/** When a body goes to a store. */
export interface ClaimCheckOptions {
  /** Where large bodies are put when sending, and fetched when receiving. */
  readonly store: ClaimCheckStore;
  /**
   * The size from which a body goes to the store, in bytes, as it would travel. Default 131,072 (128 KiB): with every property that
   * fits, a smaller one is within the 256 KB that each tier of the service takes.
   */
  readonly minBytes?: number | undefined;
}

/** {@link ClaimCheckOptions} with every default filled in. */
export type ResolvedClaimCheckOptions = Required<{
  [K in keyof ClaimCheckOptions]: NonNullable<ClaimCheckOptions[K]>;
}>;

const defaultMinBytes = 131_072;

const optionNames: OptionNames<ClaimCheckOptions> = { store: true, minBytes: true };

/** Checks the options and fills in the defaults. Throws `TypeError`, or `configuration-invalid` where there is no Web Crypto. */
export function resolveClaimCheck(
  options: ClaimCheckOptions | undefined,
): ResolvedClaimCheckOptions | undefined {
  if (options === undefined) return undefined;
  requireKnownOptions("claimCheck", options, optionNames);
  const { store, minBytes = defaultMinBytes } = options;
  if (typeof store?.put !== "function" || typeof store.get !== "function") {
    throw new TypeError("claimCheck.store must be a ClaimCheckStore.");
  }
  requireInteger("claimCheck.minBytes", minBytes, 0);
  requireWebCrypto("A claim check");
  return Object.freeze({ store, minBytes });
}
