import type { Serializer } from "@waybill/core";
import type { DeserializeContext, SerializeContext } from "@waybill/core/serializer";

/** Source: CloudEvents 1.0, Avro event format. */
const schema = {
  type: "record",
  name: "CloudEvent",
  namespace: "io.cloudevents",
  fields: [
    { name: "attribute", type: { type: "map", values: ["null", "boolean", "int", "string", "bytes"] } },
    {
      name: "data",
      type: [
        "bytes",
        "null",
        "boolean",
        {
          type: "map",
          values: [
            "null",
            "boolean",
            {
              type: "record",
              name: "CloudEventData",
              fields: [
                {
                  name: "value",
                  type: {
                    type: "map",
                    values: [
                      "null",
                      "boolean",
                      { type: "map", values: "CloudEventData" },
                      { type: "array", items: "CloudEventData" },
                      "double",
                      "string",
                    ],
                  },
                },
              ],
            },
            "double",
            "string",
          ],
        },
        { type: "array", items: "CloudEventData" },
        "double",
        "string",
      ],
    },
  ],
} as const;

const mediaType = "application/cloudevents+avro";

/**
 * Reads and writes structured CloudEvents of the Avro format, with the content type `application/cloudevents+avro` only. `avro` is the function of
 * `@waybill/serializer-avro`.
 */
export function cloudEventsAvro<Options>(avro: (options: Options) => Serializer): Serializer {
  const inner = avro({
    schema: { ...schema },
    schemaId: "0",
    framing: "raw",
    unframedBodies: "accept",
  } as unknown as Options);
  return Object.freeze({
    name: "cloudevents-avro",
    mediaTypes: Object.freeze([mediaType]),
    detection: "label",
    conforming: true,
    validation: "format",
    async serialize(value: unknown, context: SerializeContext) {
      const { bytes } = await inner.serialize(value, { ...context, schema: undefined });
      return { bytes, contentType: mediaType };
    },
    deserialize: (bytes: Uint8Array, context: DeserializeContext) =>
      inner.deserialize(bytes, { ...context, schema: undefined, mediaType: undefined, isDeclared: true }),
  } satisfies Serializer);
}
