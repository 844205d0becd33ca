import type { Serializer } from "@waybill/core";
import type { JsonSchema } from "@waybill/serializer-json";
import { sample, stringMatching } from "fast-check";
import type { ContractSchema, ContractVersion } from "../model/contract.js";
import { avroTypeOf } from "../structure/avro-type.js";
import { JsonSchemaDocument } from "../structure/json-schema-document.js";
import { protobufTypeOf } from "../structure/protobuf-type.js";
import { avroValues } from "../values/avro-values.js";
import { jsonValues } from "../values/json-values.js";
import { protobufValues } from "../values/protobuf-values.js";
import type { Workshop } from "./rebuilt-side.js";

/** How many values of one form are tried. */
const maxCandidates = 100;

/** From what the values of a form are made. */
export interface CandidateSource {
  readonly workshop: Workshop;
  /** The version as its writer has it. */
  readonly version: ContractVersion;
  /** The serializer that writes it. */
  readonly serializer: string;
  /** The reader's version, whose limits and names are tried, too. */
  readonly reader: ContractVersion | undefined;
  readonly writesOnlyDeclared: boolean;
}

/** Makes the values of a form once, for all trials of one check. */
export class Candidates {
  readonly #known = new Map<string, Promise<readonly unknown[]>>();

  /** Values that applications could send in a form, the smallest first; empty if there is no schema to make them from. */
  of(source: CandidateSource): Promise<readonly unknown[]> {
    const { version, serializer, reader, writesOnlyDeclared } = source;
    const key = JSON.stringify([
      serializer,
      writesOnlyDeclared,
      fingerprintsOf(version),
      fingerprintsOf(reader),
    ]);
    const found = this.#known.get(key) ?? candidatesOf(source);
    this.#known.set(key, found);
    return found;
  }
}

function fingerprintsOf(version: ContractVersion | undefined): unknown {
  if (version === undefined) return undefined;
  const { body, schemas } = version;
  return [body?.fingerprint, Object.entries(schemas).map(([name, each]) => [name, each.fingerprint])];
}

async function candidatesOf(source: CandidateSource): Promise<readonly unknown[]> {
  const { version, serializer, reader } = source;
  const own = version.schemas[serializer];
  const schemas = [own, version.body, ...Object.values(version.schemas)];
  const first = schemas.find((schema) => schema !== undefined && schema.language !== "code");
  if (first === undefined) return [];
  const values = (
    await valuesOf(source, first, first === own ? reader?.schemas[serializer] : reader?.body)
  ).slice(0, maxCandidates);
  const checks = [own, version.body].filter((each) => each?.language === "json-schema" && each !== first);
  const documents = checks.map((each) => new JsonSchemaDocument(each?.schema as JsonSchema));
  return values.filter((value) =>
    documents.every((document) => document.accepts(document.root, value) !== false),
  );
}

async function valuesOf(
  source: CandidateSource,
  { language, schema }: ContractSchema,
  wanted: ContractSchema | undefined,
): Promise<readonly unknown[]> {
  switch (language) {
    case "json-schema": {
      const hint = wanted ?? source.reader?.body ?? Object.values(source.reader?.schemas ?? {})[0];
      return jsonValues(schema as JsonSchema, {
        reader: hint?.language === "json-schema" ? (hint.schema as JsonSchema) : undefined,
        writesOnlyDeclared: source.writesOnlyDeclared,
        matching,
      });
    }
    case "avro":
      return await applicationValues(source, schema as { readonly schema: unknown });
    case "protobuf":
      return protobufValues(protobufTypeOf(schema));
    default:
      return [];
  }
}

/** How many texts that match a pattern are made, of which the shortest and the longest are tried. */
const textsOfPattern = 60;

/** Texts that match a pattern; none for one that the generator does not know. The seed makes every run the same. */
function matching(pattern: string): readonly string[] {
  try {
    const texts = sample(stringMatching(new RegExp(pattern)), { seed: 1, numRuns: textsOfPattern });
    const sorted = [...new Set(texts)].sort().sort((a, b) => a.length - b.length);
    return sorted.length <= 6 ? sorted : [...sorted.slice(0, 3), ...sorted.slice(-3)];
  } catch {
    return [];
  }
}

/** Avro values in the form in which the serializer's options deliver them: they are written in one form and read in the other. */
async function applicationValues(
  { workshop, serializer, version }: CandidateSource,
  described: { readonly schema: unknown },
): Promise<readonly unknown[]> {
  const builder = workshop.serializers.find(({ name }) => name === "avro")?.contract;
  if (builder === undefined) return [];
  const schema = { schema: described.schema };
  const framing = { framing: "single-object", acceptsConfluent: false, schemaById: false };
  const raw = { ...builder.options, ...framing, unions: "always", longs: "bigint", rawLogicalTypes: "all" };
  const writer = builder.rebuild({ options: raw, schema, registered: [] });
  const reader = builder.rebuild({ options: { ...builder.options, ...framing }, schema, registered: [] });
  const values: unknown[] = [];
  for (const value of avroValues(avroTypeOf(described.schema))) {
    try {
      const { bytes } = await writer.serialize(value, { ...noMessage, maxDepth: 128 });
      values.push(await reader.deserialize(bytes, { ...noMessage, maxDepth: 128, isDeclared: true }));
    } catch {
      // A value beyond the range of its logical type, which no application can write.
    }
  }
  return serializer === "avro" || version.schemas[serializer] === undefined ? values : [];
}

const noMessage = Object.freeze({
  messageType: undefined,
  contentType: undefined,
  mediaType: undefined,
  applicationProperties: Object.freeze({}),
  abortSignal: undefined,
}) satisfies Partial<Parameters<Serializer["serialize"]>[1]>;
