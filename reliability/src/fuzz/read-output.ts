import { decodeValue, isDescribed, isTyped } from "@waybill/amqp";

const closeCode = 0x18n;
const transferCode = 0x14n;

/**
 * Checks that an endpoint wrote protocol headers and well-formed frames only, and nothing after a close.
 * Returns the condition it closed with, or how else its output ends. Throws `Error` for anything malformed.
 */
export function readOutput(bytes: Buffer): string {
  let ending = "no frame";
  for (let at = 0; at < bytes.length; ) {
    if (ending.startsWith("close")) throw new Error("bytes follow the close performative");
    if (bytes.toString("latin1", at, at + 4) === "AMQP") {
      ending = "protocol header";
      at += 8;
      continue;
    }
    const size = bytes.readUInt32BE(at);
    if (size < 8 || at + size > bytes.length) throw new Error("a frame is cut off");
    ending = readFrame(bytes.subarray(at + 8, at + size));
    at += size;
  }
  return ending;
}

function readFrame(body: Buffer): string {
  if (body.length === 0) return "heartbeat";
  if (body[0] === 0x00 && body[1] === 0x53 && BigInt(body[2] ?? 0) === transferCode) {
    const listSize = body[3] === 0xc0 ? 2 + (body[4] ?? 0) : 5 + body.readUInt32BE(4);
    decodeValue(body.subarray(0, 3 + listSize));
    return "open";
  }
  const value = decodeValue(body);
  if (!isDescribed(value) || !isTyped(value.descriptor) || value.descriptor.type !== "ulong") {
    throw new Error("a frame holds no performative");
  }
  if (value.descriptor.value !== closeCode) return "open";
  const error = Array.isArray(value.value) ? value.value[0] : undefined;
  const condition = isDescribed(error) && Array.isArray(error.value) ? error.value[0] : undefined;
  return isTyped(condition) && condition.type === "symbol" ? `close with ${condition.value}` : "close";
}
