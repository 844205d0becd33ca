import type { ClaimCheckStore } from "../contracts/claim-check-store.js";
import { decodeFailure } from "../errors/failure.js";
import type { ApplicationProperties, EncodedMessage } from "../message/message.js";
import { sha256Hex } from "../message/web-crypto.js";
import { askProvider } from "./ask-provider.js";
import { claimCheckDetails, claimCheckProperty, malformedClaimCheck } from "./sealing-properties.js";

/** The key of a stored body, with its expected hash and length. */
export interface ClaimCheck {
  readonly key: string;
  /** SHA-256 of the body, in lower-case hexadecimal. */
  readonly sha256: string;
  readonly bytes: number;
}

/** The store of a call, with its time limit. */
export interface ClaimCheckCall {
  readonly store: ClaimCheckStore;
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
}

const noBytes = new Uint8Array(0);

/** Valid keys. They come from the wire, so path traversal such as `..` must not match. */
const keyPattern = /^(?=.{1,200}$)[A-Za-z0-9][A-Za-z0-9._-]*(?:\/[A-Za-z0-9][A-Za-z0-9._-]*)*$/;

/** A folder per day, so that old bodies can be deleted by folder; a random name, so that no two messages share a body. */
export function newClaimCheckKey(): string {
  return `${new Date().toISOString().slice(0, 10)}/${globalThis.crypto.randomUUID()}`;
}

/** Stores the body under a key of {@link newClaimCheckKey} and replaces it with a reference. Rejects with `unavailable` when storing fails. */
export async function checkIn(
  message: EncodedMessage,
  key: string,
  call: ClaimCheckCall,
): Promise<EncodedMessage> {
  const body = message.body as Uint8Array;
  const sha256 = await sha256Hex(body);
  await ask("put the body into", call, (options) => call.store.put(key, body, options));
  const applicationProperties = {
    ...message.applicationProperties,
    [claimCheckProperty]: key,
    [claimCheckDetails.sha256]: sha256,
    [claimCheckDetails.bytes]: body.length,
  };
  return { ...message, body: noBytes, applicationProperties };
}

/**
 * Fetches a stored body and compares its length and hash with those in the message. Rejects with `claim-check-missing` or
 * `claim-check-changed`, with `unavailable` when the store is unavailable.
 */
export async function checkOut(claim: ClaimCheck, call: ClaimCheckCall): Promise<Uint8Array> {
  const body = await ask("fetch the body from", call, (options) =>
    call.store.get(claim.key, { maxBytes: claim.bytes, ...options }),
  );
  if (body === undefined) {
    throw decodeFailure("claim-check-missing", `The store has nothing under "${claim.key}".`);
  }
  if (body.length !== claim.bytes || (await sha256Hex(body)) !== claim.sha256) {
    throw decodeFailure(
      "claim-check-changed",
      `What the store has under "${claim.key}" is not what was sent: length or SHA-256 differ.`,
    );
  }
  return body;
}

/** Reads the reference of a message. Throws `claim-check-malformed` or, for a body beyond the limit, `claim-check-too-large`. */
export function readClaimCheck(
  properties: ApplicationProperties,
  body: Uint8Array,
  maxBytes: number,
): ClaimCheck {
  const key = properties[claimCheckProperty];
  const sha256 = properties[claimCheckDetails.sha256];
  const bytes = Number(properties[claimCheckDetails.bytes] ?? Number.NaN);
  if (typeof key !== "string" || !keyPattern.test(key))
    throw malformedClaimCheck("its key is not one that waybill makes");
  if (typeof sha256 !== "string" || !/^[0-9a-f]{64}$/.test(sha256))
    throw malformedClaimCheck("its SHA-256 is missing");
  if (!Number.isSafeInteger(bytes) || bytes < 0) throw malformedClaimCheck("its length is missing");
  if (body.length > 0) throw malformedClaimCheck(`the message has a body of ${body.length} bytes besides`);
  if (bytes > maxBytes) {
    throw decodeFailure(
      "claim-check-too-large",
      `The body in the store has ${bytes} bytes, more than the ${maxBytes} that are allowed.`,
    );
  }
  return { key, sha256, bytes };
}

function ask<Result>(
  what: string,
  { timeoutMs, signal }: ClaimCheckCall,
  work: (options: { readonly abortSignal: AbortSignal }) => Promise<Result>,
): Promise<Result> {
  const limit = { who: "The claim-check store", timeoutMs, signal };
  return askProvider("fetch", `Could not ${what} the claim-check store.`, limit, work);
}
