import type { DescMessage } from "@bufbuild/protobuf";
import { WaybillError } from "@waybill/core";
import type { BodyCheck, BodyCheckResult, SerializerContext } from "@waybill/core/serializer";
import type { FoundType } from "./message-descriptor.js";
import { readProtobuf } from "./read-protobuf.js";
import { writeProtobuf } from "./write-protobuf.js";

/**
 * The check of a message that came without bytes. If its message type is known, the value is written and read again as the Protobuf type, so that
 * handlers get a message as from bytes; other messages may have no body, or an AMQP value that has nothing to do with the type. Then `own` applies.
 */
export function checkWithoutBytes(
  { descriptor }: FoundType,
  context: SerializerContext,
  own: BodyCheck | undefined,
): BodyCheck | undefined {
  if (descriptor === undefined || context.messageVersion === undefined) return own;
  return (value) => asMessage(value, descriptor, context, own);
}

/** The limit of values that are only validated: they were limited when they were read. */
const maxDepth = 1_000;

function asMessage(
  value: unknown,
  descriptor: DescMessage,
  context: SerializerContext,
  own: BodyCheck | undefined,
): BodyCheckResult {
  const found = { descriptor };
  try {
    const { bytes } = writeProtobuf(value, found, { ...context, maxDepth }, undefined);
    const read = { ...context, maxDepth, isDeclared: true };
    return { isValid: true, value: readProtobuf(bytes, found, read, "keep", own) };
  } catch (error) {
    if (!(error instanceof WaybillError)) throw error;
    return { isValid: false, text: error.text };
  }
}
