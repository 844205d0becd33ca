import type { Serializer, StandardSchema } from "@waybill/core";
import {
  type BodySchemaOptions,
  compileValidator,
  describeBodySchema,
  type OptionNames,
  requireKnownOptions,
  requireType,
  resolveBodySchemas,
  type ValidateFunction,
} from "@waybill/core/serializer";
import { readCbor } from "./read-cbor.js";
import { writeCbor } from "./write-cbor.js";

/** A schema for CBOR bodies: a Standard Schema (zod, valibot …) or a function that returns the value or throws. */
export type CborBodySchema = StandardSchema | ValidateFunction;

/** How `cbor()` writes and validates. */
export interface CborOptions extends BodySchemaOptions<CborBodySchema> {
  /**
   * Whether bodies are written with the leading tag 55799, by which they are recognised without a content type. Default `false`, because not every
   * reader knows it. It is always accepted.
   */
  readonly selfDescribed?: boolean | undefined;
}

const optionNames: OptionNames<CborOptions> = { schema: true, schemas: true, selfDescribed: true };

/**
 * The CBOR serializer: plain CBOR, checked before it is decoded, optionally validated. Throws `TypeError` for options that are not valid.
 * Source: RFC 8949.
 */
export function cbor(options: CborOptions = {}): Serializer {
  requireKnownOptions("cbor", options, optionNames);
  const { selfDescribed = false } = options;
  requireType("cbor: selfDescribed", selfDescribed, "boolean");
  const schemas = resolveBodySchemas(options, compileValidator);
  return Object.freeze({
    name: "cbor",
    mediaTypes: Object.freeze(["application/cbor", "+cbor"]),
    detection: "magic",
    leadingBytes: Object.freeze([0xd9]),
    conforming: true,
    validation: options.schema === undefined && options.schemas === undefined ? undefined : "schema",
    compileSchema: schemas.compileSchema,
    checkFor: schemas.checkFor,
    contract: {
      options: { selfDescribed },
      schemaOf: (target) => describeBodySchema(options, target),
      rebuild: ({ options: others, schema }) =>
        cbor({ ...others, ...(schema === undefined ? {} : { schema: schema as CborBodySchema }) }),
    },
    serialize: (value, context) => ({
      bytes: writeCbor(value, context, selfDescribed, schemas.checkFor(context)),
    }),
    deserialize: (bytes, context) => readCbor(bytes, context, schemas.checkFor(context)),
  } satisfies Serializer);
}
