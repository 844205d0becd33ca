import type { Serializer } from "@waybill/core";
import type { RegisteredFormat } from "./registered-serializer.js";

/** Writes values with serializers that `make` creates from parsed schemas; at most `maxSchemas` of them are kept. */
export function schemaWriter(
  make: (schema: unknown) => Serializer,
  maxSchemas: number,
): RegisteredFormat["write"] {
  const writers = new Map<string, Serializer>();
  return (value, context, { definition }) => {
    let writer = writers.get(definition);
    if (writer === undefined) {
      writer = make(JSON.parse(definition));
      if (writers.size >= maxSchemas) writers.clear();
      writers.set(definition, writer);
    }
    return writer.serialize(value, { ...context, schema: undefined });
  };
}
