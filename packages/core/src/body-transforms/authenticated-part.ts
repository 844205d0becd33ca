import { parseJson } from "@waybill/foundation";
import { decodeFailure } from "../errors/failure.js";
import type { ApplicationProperties, EncodedMessage } from "../message/message.js";
import { contentEncodingOf, withEffectiveContentEncoding } from "./compression.js";
import { encryptionDetails, isLabelledEncrypted, sealingProperties } from "./sealing-properties.js";

/** Limits, because the list of bound properties also comes from the wire. */
const maxListLength = 4096;
const maxListedNames = 64;

/**
 * The part of an encrypted message to which its body is bound; nothing else may decide how it is read. Empty texts count as absent, because
 * not every hop distinguishes these. Any other message as it is.
 */
export function authenticatedPart(message: EncodedMessage): EncodedMessage {
  const { body, contentType, subject, applicationProperties = {} } = message;
  if (!isLabelledEncrypted(applicationProperties)) return message;
  const bound = new Set(listedNames(applicationProperties));
  const properties = Object.entries(applicationProperties).filter(
    ([name]) => sealingProperties.has(name) || (bound.has(name) && !isAlwaysBound(name)),
  );
  return {
    body,
    contentType: contentType || undefined,
    subject: subject || undefined,
    applicationProperties: withEffectiveContentEncoding(
      Object.fromEntries(properties),
      contentEncodingOf(message),
    ),
  };
}

/** Parses the list of a message. Throws `encryption-malformed` for an invalid one. */
export function parseBoundList(list: unknown): readonly string[] {
  const names = typeof list === "string" && list.length <= maxListLength ? parseJson(list) : undefined;
  const isList = Array.isArray(names) && names.length <= maxListedNames;
  if (isList && names.every((name) => typeof name === "string")) return names;
  throw decodeFailure(
    "encryption-malformed",
    "The list of bound application properties is malformed or too long.",
  );
}

/** Whether every encrypted body is bound to an application property, so that no list names it. */
export function isAlwaysBound(name: string): boolean {
  return sealingProperties.has(name) || name.toLowerCase() === "content-encoding";
}

/** None of a malformed list, for which decryption fails. */
function listedNames(properties: ApplicationProperties): readonly string[] {
  try {
    return parseBoundList(properties[encryptionDetails.bound]);
  } catch {
    return [];
  }
}
