/**
 * The steps of reading a body, in order. What the message's properties and the size of its body decide is checked before `fetch`: the
 * message type (stage `select`), whether it is encrypted (`decrypt`), and `body-too-large` (`select`).
 */
export type Stage = "fetch" | "decrypt" | "decompress" | "select" | "decode" | "validate" | "upcast";

/**
 * Why an attempt to read a body failed, with the stage. The set is closed; reports, metrics and dead-letter records use it, and
 * `docs/deserialization.md` explains each reason.
 */
export const reasonCodes = Object.freeze({
  // fetch
  "claim-check-unsupported": "fetch",
  "claim-check-malformed": "fetch",
  "claim-check-too-large": "fetch",
  "claim-check-missing": "fetch",
  "claim-check-changed": "fetch",
  // decrypt
  "plaintext-refused": "decrypt",
  "encryption-unsupported": "decrypt",
  "encryption-malformed": "decrypt",
  "key-unknown": "decrypt",
  "decryption-failed": "decrypt",
  // select
  "content-type-missing": "select",
  "content-type-malformed": "select",
  "content-type-unknown": "select",
  "content-type-foreign": "select",
  "charset-unsupported": "select",
  "body-empty": "select",
  "body-too-large": "select",
  "not-recognized": "select",
  "message-type-missing": "select",
  "message-type-unknown": "select",
  "message-type-unhandled": "select",
  "message-version-malformed": "select",
  "message-version-missing": "select",
  "message-version-removed": "select",
  "message-version-unknown": "select",
  // decompress
  "content-encoding-unknown": "decompress",
  "compression-corrupt": "decompress",
  "decompressed-too-large": "decompress",
  // decode
  malformed: "decode",
  truncated: "decode",
  "trailing-bytes": "decode",
  "utf8-invalid": "decode",
  "depth-exceeded": "decode",
  "items-exceeded": "decode",
  "count-exceeded": "decode",
  "root-not-container": "decode",
  "container-empty": "decode",
  "evidence-insufficient": "decode",
  "identity-missing": "decode",
  "schema-unknown": "decode",
  "key-forbidden": "decode",
  "type-forbidden": "decode",
  "value-out-of-range": "decode",
  "value-missing": "decode",
  "serializer-fault": "decode",
  // validate
  "schema-violation": "validate",
  // upcast
  "upcast-failed": "upcast",
  "upcast-invalid": "upcast",
  // not the body's fault: the message is abandoned, not dead-lettered
  unavailable: "decode",
} satisfies Record<string, Stage>);

/** One of the closed set of reasons; see {@link reasonCodes}. */
export type ReasonCode = keyof typeof reasonCodes;
