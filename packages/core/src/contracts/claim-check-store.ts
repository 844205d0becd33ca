import { type Resolved, requireInteger, withDefaults } from "@waybill/foundation";
import { requireWebCrypto } from "../message/web-crypto.js";
import type { CallOptions } from "./transport.js";

/** How much of a stored body may be read. */
export interface ClaimCheckGetOptions extends CallOptions {
  /** The length in bytes that the message states. A store reads at most one byte more. */
  readonly maxBytes: number;
}

/**
 * Stores bodies that are too large for a message. waybill generates the keys: 1 to 200 characters, segments of letters, digits, `.`, `_`
 * and `-` that begin with a letter or digit, separated by `/`. Any error a store throws means that it is unavailable: the message is
 * read again later. `@waybill/conformance` checks all of this.
 */
export interface ClaimCheckStore {
  /** Stores a copy of the bytes under a new key; resolves when they are durable. Stores all of them or none. */
  put(key: string, bytes: Uint8Array, options: CallOptions): Promise<void>;
  /** The bytes, or undefined when there is nothing under the key; if there are more than `maxBytes`, any more than that many of them. */
  get(key: string, options: ClaimCheckGetOptions): Promise<Uint8Array | undefined>;
  /**
   * Deletes the bytes under the key; does nothing when there are none. waybill never calls it: the application deletes bodies that nobody
   * needs any more.
   */
  delete(key: string, options?: CallOptions): Promise<void>;
}

/** Which bodies are stored, and where. */
export interface ClaimCheckOptions {
  /** Stores large bodies when sending, and returns them when receiving. */
  readonly store: ClaimCheckStore;
  /**
   * Bodies of this many encoded bytes or more are stored. Default 131,072 (128 KiB): even with the largest properties, a message with a smaller
   * body is within the 256 KB that each tier of the service accepts.
   */
  readonly minBytes?: number | undefined;
}

/** {@link ClaimCheckOptions} with every default filled in. */
export type ResolvedClaimCheckOptions = Resolved<ClaimCheckOptions>;

const defaults = Object.freeze({ store: undefined, minBytes: 131_072 });

/** Checks the options and fills in the defaults. Throws `TypeError`, or `configuration-invalid` where there is no Web Crypto. */
export function resolveClaimCheck(
  options: ClaimCheckOptions | undefined,
): ResolvedClaimCheckOptions | undefined {
  if (options === undefined) return undefined;
  const resolved = withDefaults("claimCheck", options, defaults);
  const { store, minBytes } = resolved;
  if (typeof store?.put !== "function" || typeof store.get !== "function") {
    throw new TypeError("claimCheck.store must be a ClaimCheckStore.");
  }
  requireInteger("claimCheck.minBytes", minBytes, 0);
  requireWebCrypto("A claim check");
  return Object.freeze(resolved);
}
