import type { StandardSchema } from "@waybill/core";
import { Ajv } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import formatsPlugin from "ajv-formats";
import type { AjvModules } from "./ajv-modules.js";
import type { JsonSchema } from "./compile-json-schema.js";
import { type JsonSchemaOptions, jsonSchemaWith } from "./json-schema.js";

/** For bundles and browsers: `jsonSchema` with ajv included, which the package otherwise loads from `node_modules` with the first schema. */

export type { JsonSchema } from "./compile-json-schema.js";
export type { JsonSchemaOptions } from "./json-schema.js";

// The CommonJS default export of ajv-formats, as TypeScript sees it from ESM.
const addFormats = formatsPlugin as unknown as AjvModules["addFormats"];

/** The same as `jsonSchema` of the package. */
export function jsonSchema(schema: JsonSchema, options: JsonSchemaOptions = {}): StandardSchema {
  return jsonSchemaWith(() => ({ Ajv, Ajv2020, addFormats }), schema, options);
}
