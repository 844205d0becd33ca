import type { Serializer } from "@waybill/core";
import type { MediaType } from "@waybill/core/serializer";
import { registeredSerializer } from "./registered-serializer.js";
import { type RegistryOptions, resolveRegistryOptions } from "./registry-options.js";
import { chooseSchema, type SchemaChoice, whyWithoutSchema } from "./schema-choice.js";
import { schemaWriter } from "./schema-writer.js";

/** How JSON bodies are read and written under a registry's schemas. */
export interface RegistryJsonOptions extends RegistryOptions, SchemaChoice {
  /** Whether bodies are validated against the registry's schema when read; written bodies always are. Default `true`. */
  readonly validates?: boolean | undefined;
  /** Options of `json()` except schemas, such as `{ writeBigInts: "number" }`. Default: none. */
  readonly settings?: Readonly<Record<string, unknown>> | undefined;
}

/** `json` of `@waybill/serializer-json`. */
export type JsonFactory<Options> = (options: Options) => Serializer;

/**
 * JSON under the schemas of a registry. JSON without a framing is read as `json()` reads it. `json` is the function of
 * `@waybill/serializer-json`. Throws `TypeError` for options that are not valid.
 */
export function registryJson<Options>(json: JsonFactory<Options>, options: RegistryJsonOptions): Serializer {
  const resolved = resolveRegistryOptions("registryJson", options, {
    schema: true,
    schemas: true,
    validates: true,
    settings: true,
  });
  const make = (more: object) => json({ ...options.settings, ...more } as unknown as Options);
  const plain = make({});
  return registeredSerializer(resolved, {
    format: "json",
    plain,
    mediaTypes: { azure: "application/json", framed: "application/json" },
    compile({ definition }) {
      const reader = make({ schema: JSON.parse(definition) as unknown });
      const used = options.validates === false ? plain : reader;
      return (payload, context) =>
        used.deserialize(payload, { ...context, isDeclared: true, mediaType: label });
    },
    cannotWrite: (target) => whyWithoutSchema(options, target),
    toWrite(_, context) {
      const { definition, id } = chooseSchema(options, context);
      return { id, definition, subject: nameOf(definition), format: "json" };
    },
    write: schemaWriter((schema) => make({ schema }), resolved.cache.maxSchemas),
  });
}

const label: MediaType = {
  essence: "application/json",
  suffix: undefined,
  schemaId: undefined,
  parameters: new Map(),
};

/** `@azure/schema-registry-json` uses `$id` or `id`; Confluent's clients use the title. */
function nameOf(definition: string): string {
  const { $id, id, title } = JSON.parse(definition) as Readonly<Record<string, unknown>>;
  return String($id ?? id ?? title ?? "");
}
