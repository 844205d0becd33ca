import { betaId } from "./framing.js";
import { isGrpc } from "./is-grpc.js";

/**
 * Which framings of schema registries a body could have, as text for an error: `"Confluent id 48 or Azure's beta preamble"`. Undefined if it
 * looks like none. It checks only the first bytes, so it is only a hint.
 */
export function diagnoseFraming(bytes: Uint8Array): string | undefined {
  const azureBeta = betaId(bytes) === undefined ? undefined : "Azure's beta preamble";
  const guesses = [confluent(bytes), azureBeta, confluentGuid(bytes), glue(bytes)].filter(
    (guess) => guess !== undefined,
  );
  return guesses.length === 0 ? undefined : guesses.join(" or ");
}

/** Apicurio's bytes are the same. Larger ids are unlikely in practice. */
function confluent(bytes: Uint8Array): string | undefined {
  if (bytes[0] !== 0x00 || bytes.length < 6) return undefined;
  if (isGrpc(bytes)) return "a message of gRPC";
  const id = new DataView(bytes.buffer, bytes.byteOffset).getInt32(1);
  return id < 0 || id > 0x0fff_ffff ? undefined : `Confluent id ${id} (Apicurio's bytes are the same)`;
}

/** The version and variant bits distinguish a UUID from random bytes. Source: RFC 9562, 4. */
function confluentGuid(bytes: Uint8Array): string | undefined {
  return bytes[0] === 0x01 && bytes.length > 17 && isUuid(bytes, 1) ? "Confluent's GUID framing" : undefined;
}

function glue(bytes: Uint8Array): string | undefined {
  const isHeader = bytes[0] === 0x03 && (bytes[1] === 0x00 || bytes[1] === 0x05) && bytes.length > 18;
  return isHeader && isUuid(bytes, 2) ? "AWS Glue" : undefined;
}

function isUuid(bytes: Uint8Array, start: number): boolean {
  const version = (bytes[start + 6] as number) >> 4;
  const variant = (bytes[start + 8] as number) >> 6;
  return version >= 1 && version <= 8 && variant === 0b10;
}
