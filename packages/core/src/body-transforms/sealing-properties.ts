import type { WaybillError } from "../errors/error.js";
import { decodeFailure } from "../errors/failure.js";
import type { ApplicationProperties } from "../message/message.js";

/** The application property with the algorithm of an encrypted body. */
export const encryptionProperty = "waybill-encryption";

/** The other application properties of an encrypted body. */
export const encryptionDetails = Object.freeze({
  keyId: "waybill-encryption-key-id",
  nonce: "waybill-encryption-nonce",
  bound: "waybill-encryption-bound",
});

/** The application property with the key of the stored body. */
export const claimCheckProperty = "waybill-claim-check";

/** The application properties with hash and length of the stored body. */
export const claimCheckDetails = Object.freeze({
  sha256: "waybill-claim-check-sha256",
  bytes: "waybill-claim-check-bytes",
});

/** The application properties that describe the transforms of a body. Every encrypted body is bound to them, so no list names them. */
export const sealingProperties: ReadonlySet<string> = /* @__PURE__ */ new Set([
  claimCheckProperty,
  ...Object.values(claimCheckDetails),
  encryptionProperty,
  ...Object.values(encryptionDetails),
]);

/** Whether a message has a property of an encrypted body, even one that is null: a body that lost some of them is not plaintext. */
export function isLabelledEncrypted(properties: ApplicationProperties): boolean {
  // One by one: every message is asked, and a loop over names is slower than all other steps of a reading together.
  return (
    properties[encryptionProperty] !== undefined ||
    properties[encryptionDetails.keyId] !== undefined ||
    properties[encryptionDetails.nonce] !== undefined ||
    properties[encryptionDetails.bound] !== undefined
  );
}

/** The failure of a message whose claim check leads nowhere. */
export function malformedClaimCheck(why: string): WaybillError {
  return decodeFailure("claim-check-malformed", `The claim check cannot be followed: ${why}.`);
}
