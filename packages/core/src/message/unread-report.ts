import { bodySection } from "./body.js";
import type { EncodedMessage } from "./message.js";
import type { DeserializationReport } from "./report.js";

/** The report of a body that no stage of a pipeline has touched. */
export function unreadReport({
  body,
  contentType,
}: Pick<EncodedMessage, "body" | "contentType">): DeserializationReport {
  return {
    serializer: undefined,
    position: -1,
    declared: undefined,
    contentType,
    messageType: undefined,
    messageVersion: undefined,
    upcastPath: [],
    section: bodySection(body),
    attempts: [],
    contentEncodings: [],
    claimCheck: undefined,
    encryptionKeyId: undefined,
    bytes: body instanceof Uint8Array ? body.length : 0,
  };
}
