// For applications

export type { AjvLike, AjvValidate, JsonSchema } from "./compile-json-schema.js";
export { type JsonSchemaOptions, jsonSchema } from "./json-schema.js";
export type { JsonBodySchema, JsonOptions } from "./json-serializer.js";
export { json } from "./json-serializer.js";
