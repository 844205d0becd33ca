import type { Registry } from "@bufbuild/protobuf";
import type { Serializer, StandardSchema } from "@waybill/core";
import {
  type BodySchemaOptions,
  compileValidator,
  type OptionNames,
  requireKnownOptions,
  requireOneOf,
  requireType,
  resolveBodySchemas,
  type SerializerContext,
  type ValidateFunction,
} from "@waybill/core/serializer";
import { checkWithoutBytes } from "./check-without-bytes.js";
import { protobufContract } from "./contract.js";
import { messageDescriptor } from "./message-descriptor.js";
import { readProtobuf } from "./read-protobuf.js";
import { writeProtobuf } from "./write-protobuf.js";

/** A schema for rules that the Protobuf type does not have: a Standard Schema (zod, valibot …) or a function that returns the value or throws. */
export type ProtobufBodySchema = StandardSchema | ValidateFunction;

/** How `protobuf()` finds the type of a message, and validates. */
export interface ProtobufOptions extends BodySchemaOptions<ProtobufBodySchema> {
  /** The types to read and write: `createRegistry(OrderSchema, …)` of protobuf-es, with the code that `protoc-gen-es` generated. */
  readonly registry: Registry;
  /**
   * The full name of the Protobuf type of a message, such as `"shop.v1.Order"`. It is called first; if it returns `undefined`, the content type is
   * used (`proto` or `messageType`), then the message type if it is the name of a type in the registry. Default: none.
   */
  readonly typeOf?: ((context: SerializerContext) => string | undefined) | undefined;
  /** What to do with fields that the type does not have: keep them, so that they are written again with the value (default), or refuse the body. */
  readonly unknownFields?: "keep" | "refuse" | undefined;
}

const optionNames: OptionNames<ProtobufOptions> = {
  schema: true,
  schemas: true,
  registry: true,
  typeOf: true,
  unknownFields: true,
};

/**
 * The Protocol Buffers serializer, with protobuf-es. Protobuf bytes do not identify their type, so it reads declared bodies only and never
 * recognises undeclared ones. Throws `TypeError` for invalid options. Source: protobuf.dev, Encoding.
 */
export function protobuf(options: ProtobufOptions): Serializer {
  requireKnownOptions("protobuf", options, optionNames);
  const { registry, typeOf, unknownFields = "keep" } = options ?? {};
  if (typeof registry?.getMessage !== "function") {
    throw new TypeError(
      "protobuf: registry must be a registry of protobuf-es: createRegistry(OrderSchema, …).",
    );
  }
  if (typeOf !== undefined) requireType("protobuf: typeOf", typeOf, "function");
  requireOneOf("protobuf: unknownFields", unknownFields, ["keep", "refuse"]);
  const schemas = resolveBodySchemas(options, compileValidator);
  const find = messageDescriptor(registry, typeOf);
  return Object.freeze({
    name: "protobuf",
    mediaTypes,
    detection: "label",
    conforming: true,
    // A message whose fields all have their defaults is encoded as zero bytes.
    readsEmptyBodies: true,
    validation: "format",
    compileSchema: schemas.compileSchema,
    checkFor: (context) => checkWithoutBytes(find(context, undefined), context, schemas.checkFor(context)),
    // A body's own $typeName can name any type of the registry.
    cannotWrite: () => (hasMessages(registry) ? undefined : "The registry of protobuf-es has no message"),
    contract: protobufContract({ find, unknownFields, findsByFunction: typeOf !== undefined }, protobuf),
    serialize: (value, context) =>
      writeProtobuf(value, find(context, value), context, schemas.checkFor(context)),
    deserialize: (bytes, context) =>
      readProtobuf(bytes, find(context, undefined), context, unknownFields, schemas.checkFor(context)),
  } satisfies Serializer);
}

function hasMessages(registry: Registry): boolean {
  return [...registry].some(({ kind }) => kind === "message");
}

const mediaTypes: readonly string[] = Object.freeze([
  "application/protobuf",
  "application/x-protobuf",
  "application/vnd.google.protobuf",
  "application/x-google-protobuf",
  "application/proto",
]);
