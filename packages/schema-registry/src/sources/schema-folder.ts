import { readdirSync, readFileSync } from "node:fs";
import { join, parse } from "node:path";
import { requireKnownOptions } from "@waybill/core/serializer";
import type {
  RegisteredSchema,
  SchemaFormat,
  SchemaFraming,
  SchemaSource,
  SchemaToWrite,
} from "./schema-source.js";

/** Where bodies have their schema id, for schemas in a folder. */
export interface SchemaFolderOptions {
  /** Default: `["azure"]`, ids in the content type. */
  readonly framings?: readonly SchemaFraming[] | undefined;
}

/** Formats by the extension of a file's name. */
const formats: Readonly<Record<string, SchemaFormat>> = {
  ".avsc": "avro",
  ".json": "json",
  ".proto": "protobuf",
};

/**
 * Schemas in files named `<id>.avsc`, `<id>.json` or `<id>.proto`, read once, when the source is created. For tests, for machines without a
 * network, and for a registry that no longer exists. Throws the errors of reading the folder, and `TypeError` for a duplicate id.
 */
export function schemaFolder(folder: string, options: SchemaFolderOptions = {}): SchemaSource {
  requireKnownOptions("schemaFolder", options, { framings: true });
  const { framings = ["azure"] } = options;
  const schemas = new Map<string, RegisteredSchema>();
  for (const file of readdirSync(folder).sort()) {
    const { name, ext } = parse(file);
    const format = formats[ext];
    if (format === undefined) continue;
    if (schemas.has(name))
      throw new TypeError(`schemaFolder: two schemas have the id ${JSON.stringify(name)}.`);
    schemas.set(name, { definition: readFileSync(join(folder, file), "utf8"), format });
  }
  return Object.freeze({
    name: "the schema folder",
    framings: Object.freeze([...framings]),
    schemaById: (id: string) => schemas.get(id),
    async findId({ definition, format }: SchemaToWrite): Promise<string | undefined> {
      const wanted = normal(definition, format);
      for (const [id, schema] of schemas)
        if (schema.format === format && normal(schema.definition, format) === wanted) return id;
      return undefined;
    },
  } satisfies SchemaSource);
}

/** Ignores differences in white space. */
function normal(definition: string, format: SchemaFormat): string {
  return format === "protobuf" ? definition.trim() : JSON.stringify(JSON.parse(definition));
}
