import { type DescMessage, fromBinary, type Message } from "@bufbuild/protobuf";
import { WaybillError } from "@waybill/core";
import type { BodyCheck, DeserializeContext } from "@waybill/core/serializer";
import { decodeFailure, validationFailure } from "@waybill/core/serializer";
import { checkWire } from "./check-wire.js";
import type { FoundType } from "./message-descriptor.js";
import { requireFields } from "./required-fields.js";

/** Reads one Protobuf message of the type that was found. Throws `decodeFailure` or `validationFailure`. */
export function readProtobuf(
  bytes: Uint8Array,
  found: FoundType,
  context: DeserializeContext,
  unknownFields: "keep" | "refuse",
  check: BodyCheck | undefined,
): unknown {
  const descriptor = found.descriptor ?? unknownType(found.name);
  const { maxDepth, maxItems } = context;
  checkWire(bytes, descriptor, { maxDepth, maxItems, unknownFields });
  const value = decode(bytes, descriptor, maxDepth);
  requireFields(value, descriptor);
  if (check === undefined) return value;
  const result = check(value);
  if (!result.isValid) throw validationFailure(result.text);
  return result.value;
}

function decode(bytes: Uint8Array, descriptor: DescMessage, maxDepth: number): Message {
  try {
    // The library returns byte fields as views of its input, so it gets a copy, which is a plain `Uint8Array` whatever the input is.
    return fromBinary(descriptor, new Uint8Array(bytes), { recursionLimit: maxDepth });
  } catch (error) {
    if (error instanceof WaybillError) throw error;
    // The error's text may quote the payload, so it is not passed on.
    throw decodeFailure(
      "malformed",
      `The bytes are not a Protobuf message of the type ${descriptor.typeName}.`,
    );
  }
}

function unknownType(name: string | undefined): never {
  if (name === undefined) {
    throw decodeFailure(
      "identity-missing",
      "The Protobuf type is not known: neither the content type (proto), nor the message type, nor typeOf names it.",
    );
  }
  throw decodeFailure(
    "schema-unknown",
    "The registry does not have the Protobuf type that the message names.",
  );
}
