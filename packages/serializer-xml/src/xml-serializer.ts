import type { Serializer, StandardSchema } from "@waybill/core";
import {
  type BodySchemaOptions,
  compileValidator,
  describeBodySchema,
  type OptionNames,
  requireKnownOptions,
  requireOneOf,
  resolveBodySchemas,
  type ValidateFunction,
} from "@waybill/core/serializer";
import { readXml } from "./read-xml.js";
import { writeXml } from "./write-xml.js";

/** A schema for XML bodies: a Standard Schema (zod, valibot …) or a function that returns the value or throws. */
export type XmlBodySchema = StandardSchema | ValidateFunction;

/** An XML body: its text on the wire, and its value. */
export interface XmlBody {
  /** The document's text, without a byte order mark. */
  readonly text: string;
  /** The root element by its name; see the README for what happens to elements. */
  readonly parsed: Readonly<Record<string, unknown>>;
}

/** How `xml()` reads, writes and validates. */
export interface XmlOptions extends BodySchemaOptions<XmlBodySchema> {
  /** What handlers get: `"both"` (default), an object of `text` and `parsed`, or only one of the two. */
  readonly value?: "both" | "text" | "parsed" | undefined;
}

const optionNames: OptionNames<XmlOptions> = { schema: true, schemas: true, value: true };

/**
 * The XML serializer. Documents are well-formed XML 1.0 in UTF-8, without a document type declaration: only the five predefined entities are expanded.
 * Throws `TypeError` for invalid options. Source: XML 1.0, fifth edition.
 */
export function xml(options: XmlOptions = {}): Serializer {
  requireKnownOptions("xml", options, optionNames);
  const { value = "both" } = options;
  requireOneOf("xml: value", value, ["both", "text", "parsed"]);
  const schemas = resolveBodySchemas(options, compileValidator);
  return Object.freeze({
    name: "xml",
    mediaTypes: Object.freeze(["application/xml", "text/xml", "+xml"]),
    detection: "structure",
    leadingBytes: Object.freeze([0x3c]),
    conforming: true,
    validation: options.schema === undefined && options.schemas === undefined ? undefined : "schema",
    compileSchema: schemas.compileSchema,
    checkFor: schemas.checkFor,
    contract: {
      options: { value },
      schemaOf: (target) => describeBodySchema(options, target),
      rebuild: ({ options: others, schema }) =>
        xml({ ...others, ...(schema === undefined ? {} : { schema: schema as XmlBodySchema }) }),
    },
    serialize: (body, context) => ({ bytes: writeXml(body, context, value, schemas.checkFor(context)) }),
    deserialize: (bytes, context) => readXml(bytes, context, value, schemas.checkFor(context)),
  } satisfies Serializer);
}
