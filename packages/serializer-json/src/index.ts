// For applications

export type { AjvLike, AjvValidate, JsonSchema } from "./compile-json-schema.js";
export { type JsonBodySchema, type JsonOptions, json } from "./json-serializer.js";
