import type { Serializer, StandardSchema } from "@waybill/core";
import {
  type BodySchemaOptions,
  compileValidator,
  describeBodySchema,
  type OptionNames,
  requireKnownOptions,
  resolveBodySchemas,
  type ValidateFunction,
} from "@waybill/core/serializer";
import { readMsgpack } from "./read-msgpack.js";
import { writeMsgpack } from "./write-msgpack.js";

/** A schema for MessagePack bodies: a Standard Schema (zod, valibot …) or a function that returns the value or throws. */
export type MsgpackBodySchema = StandardSchema | ValidateFunction;

/** How `msgpack()` validates when it reads and writes. There are no other options: the wire format is plain MessagePack. */
export interface MsgpackOptions extends BodySchemaOptions<MsgpackBodySchema> {}

const optionNames: OptionNames<MsgpackOptions> = { schema: true, schemas: true };

/**
 * The MessagePack serializer: plain MessagePack that every implementation reads, with limits checked before it is decoded, optionally validated.
 * Throws `TypeError` for a schema of an unknown kind. Source: github.com/msgpack/msgpack/blob/master/spec.md.
 */
export function msgpack(options: MsgpackOptions = {}): Serializer {
  requireKnownOptions("msgpack", options, optionNames);
  const schemas = resolveBodySchemas(options, compileValidator);
  return Object.freeze({
    name: "msgpack",
    mediaTypes: Object.freeze([
      "application/vnd.msgpack",
      "application/msgpack",
      "application/x-msgpack",
      "application/messagepack",
      "application/x-messagepack",
      "application/vnd.messagepack",
      "binary/messagepack",
      "+msgpack",
    ]),
    detection: "structure",
    leadingBytes,
    conforming: true,
    validation: options.schema === undefined && options.schemas === undefined ? undefined : "schema",
    compileSchema: schemas.compileSchema,
    checkFor: schemas.checkFor,
    contract: {
      options: {},
      schemaOf: (target) => describeBodySchema(options, target),
      rebuild: ({ options: others, schema }) =>
        msgpack({ ...others, ...(schema === undefined ? {} : { schema: schema as MsgpackBodySchema }) }),
    },
    serialize: (value, context) => ({
      bytes: writeMsgpack(value, context, schemas.checkFor(context)),
    }),
    deserialize: (bytes, context) => readMsgpack(bytes, context, schemas.checkFor(context)),
  } satisfies Serializer);
}

/** The first bytes of maps and arrays that are not empty. */
const leadingBytes: readonly number[] = Object.freeze([
  ...Array.from({ length: 15 }, (_, count) => 0x81 + count),
  ...Array.from({ length: 15 }, (_, count) => 0x91 + count),
  ...[0xdc, 0xdd, 0xde, 0xdf],
]);
