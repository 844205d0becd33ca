import type { BodyCheck, DeserializeContext } from "@waybill/core/serializer";
import { decodeFailure, validationFailure } from "@waybill/core/serializer";
import { type Options, Unpackr } from "msgpackr";
import { decodeGuarded } from "./byte-order-marks.js";
import { checkMessage } from "./check-message.js";
import { hasEvidence } from "./has-evidence.js";
import { viewed } from "./viewed-bytes.js";
import { withWholeMilliseconds } from "./whole-milliseconds.js";

/** The decoder, for bytes that were checked. */
// int64AsType "auto" gives numbers up to 2^53 and bigints beyond; copyBuffers keeps byte strings from being views on the message.
// Whatever the options, this decoder also reads its own extensions, such as records and pointers: `checkMessage` refuses them first.
const unpackr = new Unpackr({
  useRecords: false,
  structuredClone: false,
  int64AsType: "auto",
  copyBuffers: true,
} as unknown as Options);

/** Reads one MessagePack value. Throws `decodeFailure` or, when the value breaks its schema, `validationFailure`. */
export function readMsgpack(
  bytes: Uint8Array,
  context: DeserializeContext,
  check: BodyCheck | undefined,
): unknown {
  if (bytes.length === 0) throw decodeFailure("body-empty", "An empty body is not MessagePack.");
  if (!context.isDeclared) checkRoot(bytes);
  const value = decode(bytes, context);
  if (!context.isDeclared && !hasEvidence(value)) {
    throw decodeFailure(
      "evidence-insufficient",
      "Undeclared MessagePack is recognised by a map with two keys or more, and no map of the body has that many.",
    );
  }
  if (check === undefined) return value;
  const result = check(value);
  if (!result.isValid) throw validationFailure(result.text);
  return result.value;
}

/** Checks and decodes one value. */
export function decode(bytes: Uint8Array, limits: Parameters<typeof checkMessage>[1]): unknown {
  const message = viewed(bytes);
  const { fine, marked } = checkMessage(message, limits);
  const floored = fine === undefined ? message : withWholeMilliseconds(message, fine);
  return marked === undefined ? unpack(floored) : decodeGuarded(floored, marked, unpack);
}

/** Scalars and empty containers are too short to be evidence: half of all byte values are a complete MessagePack integer. */
function checkRoot(bytes: Uint8Array): void {
  const byte = bytes[0] as number;
  const isShort = byte >= 0x80 && byte <= 0x9f;
  if (!isShort && !(byte >= 0xdc && byte <= 0xdf))
    throw decodeFailure(
      "root-not-container",
      "Undeclared MessagePack is recognised only if it is a map or an array.",
    );
  const countWidth = isShort ? 0 : (byte & 1) === 0 ? 2 : 4;
  const isEmpty = isShort
    ? (byte & 0x0f) === 0
    : bytes.length > countWidth && bytes.subarray(1, 1 + countWidth).every((each) => each === 0);
  if (isEmpty)
    throw decodeFailure(
      "container-empty",
      "Undeclared MessagePack is not recognised if it is an empty map or array.",
    );
}

function unpack(bytes: Uint8Array): unknown {
  try {
    return unpackr.unpack(bytes);
  } catch (error) {
    if (error instanceof RangeError)
      throw decodeFailure("depth-exceeded", "The body is nested too deeply to be decoded.");
    // The error's text may quote the payload, so it is not passed on.
    throw decodeFailure("malformed", "The MessagePack decoder refused the body.");
  }
}
