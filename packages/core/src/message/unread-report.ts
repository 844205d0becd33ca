import { bodySection } from "./body.js";
import type { EncodedMessage } from "./message.js";
import type { DeserializationReport } from "./report.js";

const none: readonly never[] = Object.freeze([]);

/** The report of a body that no stage of a pipeline has touched; `declared` is the serializer that its content type names. */
export function unreadReport(
  { body, contentType }: Pick<EncodedMessage, "body" | "contentType">,
  declared?: string,
): DeserializationReport {
  return {
    serializer: undefined,
    position: -1,
    declared,
    assumed: undefined,
    isEmpty: false,
    // Untyped programs may have passed anything.
    contentType: typeof contentType === "string" ? contentType : undefined,
    messageType: undefined,
    messageVersion: undefined,
    upcastPath: none,
    section: bodySection(body),
    attempts: none,
    contentEncodings: none,
    claimCheck: undefined,
    encryptionKeyId: undefined,
    bytes: body instanceof Uint8Array ? body.length : 0,
    durationInMs: undefined,
  };
}
