/** The error of a JSON Schema where ajv cannot be loaded. */
export function ajvMissing(cause?: unknown): TypeError {
  return new TypeError(
    "json: a JSON Schema needs ajv, which cannot be loaded here, as in a browser or a bundle: take " +
      'jsonSchema from "@waybill/serializer-json/json-schema", and give jsonSchema(schema) instead of the schema.',
    { cause },
  );
}
