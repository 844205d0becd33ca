import type { JsonSchema } from "@waybill/serializer-json";
import type {
  Contract,
  ContractSchema,
  ContractSerializer,
  ContractType,
  ContractVersion,
  WrittenForm,
} from "../model/contract.js";
import { avroBodyObstacles } from "./avro-body.js";
import { chainObstacles } from "./chain-obstacles.js";
import { type JsonWriting, jsonSchemaObstacles } from "./json-schema-inclusion.js";
import { breaks, notDecided, type Obstacle } from "./obstacle.js";
import { type ProtobufReading, protobufObstacles } from "./protobuf-fields.js";
import { protobufTypeOf } from "./protobuf-type.js";

/** One message type as one service has it. */
export interface TypeOfService {
  readonly contract: Contract;
  readonly type: ContractType;
}

/** Why a service does not read what another writes in one version and format: the structural proof. None: it reads every value. */
export function formObstacles(
  writer: TypeOfService,
  reader: TypeOfService,
  form: WrittenForm,
  writing: JsonWriting,
): readonly Obstacle[] {
  const written = writer.contract.serializers.find(({ name }) => name === form.serializer);
  const version = writer.type.versions.find((each) => each.version === form.version);
  if (written === undefined || version === undefined)
    return [
      notDecided(
        "",
        `the contract of ${writer.contract.service} does not describe version ${form.version} in ${form.serializer}`,
      ),
    ];
  const isSaid = writer.type.writes.some(
    ({ version, serializer }) => version === form.version && serializer === form.serializer,
  );
  if (isSaid && !version.isWritable)
    return [breaks("", `no downcasters lead to version ${form.version}, so that it cannot be written`)];
  const read = readerOf(reader.contract, written.mediaTypes[0] ?? "");
  const chain = chainObstacles(writer.contract.chain, reader.contract.chain);
  if (read === undefined)
    return [
      ...chain,
      breaks("", `no serializer of ${reader.contract.service} reads ${written.mediaTypes[0]}`),
    ];
  const readVersion = reader.type.versions.find((each) => each.version === form.version);
  if (readVersion === undefined) return [...chain, unreadVersion(reader, form.version)];
  return [
    ...chain,
    ...schemaObstacles({ serializer: written, version }, { serializer: read, version: readVersion }, writing),
  ];
}

/** The serializer of a chain that reads a content type. */
function readerOf({ serializers }: Contract, mediaType: string): ContractSerializer | undefined {
  return serializers.find(({ mediaTypes }) => mediaTypes.includes(mediaType));
}

function unreadVersion({ contract, type }: TypeOfService, version: number): Obstacle {
  return type.removed.includes(version)
    ? breaks("", `${contract.service} has removed version ${version}`)
    : breaks(
        "",
        `${contract.service} does not know version ${version}: it reads ${type.versions.map((each) => each.version).join(", ")}`,
      );
}

/** One version of a type in one format, as one service has it. */
interface FormOfService {
  readonly serializer: ContractSerializer;
  readonly version: ContractVersion;
}

function schemaObstacles(
  writer: FormOfService,
  reader: FormOfService,
  writing: JsonWriting,
): readonly Obstacle[] {
  try {
    return [...wireObstacles(writer, reader), ...valueObstacles(writer, reader, writing)];
  } catch (error) {
    // A schema of another tool, such as a pattern that is no regular expression of JavaScript.
    return [notDecided("", `the schemas cannot be compared: ${(error as Error).message}`)];
  }
}

/** Formats whose bytes are read with a schema. */
function wireObstacles(writer: FormOfService, reader: FormOfService): readonly Obstacle[] {
  const [written, read] = [own(writer), own(reader)];
  if (reader.serializer.options === undefined)
    return [notDecided("", `the serializer ${reader.serializer.name} does not describe itself`)];
  if (reader.serializer.needsSchema !== true) return jsonOptionObstacles(writer, reader);
  if (written === undefined || read === undefined)
    return [
      notDecided(
        "",
        `the contract has no schema of ${reader.serializer.name} for it on ${written === undefined ? "the writer's" : "the reader's"} side`,
      ),
    ];
  if (written.language === "code" || read.language === "code")
    return [notDecided("", `the schema of ${reader.serializer.name} is chosen by code`)];
  if (written.language === "avro" && read.language === "avro")
    return avroBodyObstacles(
      { options: writer.serializer.options ?? {}, schema: written.schema },
      { options: reader.serializer.options, schema: read.schema },
    );
  if (written.language === "protobuf" && read.language === "protobuf")
    return protobufObstacles(
      protobufTypeOf(written.schema),
      protobufTypeOf(read.schema),
      reader.serializer.options as unknown as ProtobufReading,
    );
  return [notDecided("", `schemas in the language ${read.language} are not compared`)];
}

/** Options of JSON by which one side writes integers that the other does not read as such. */
function jsonOptionObstacles(writer: FormOfService, reader: FormOfService): readonly Obstacle[] {
  if (!/"(?:integer|number)"/.test(JSON.stringify([writer.version.body, writer.version.schemas]))) return [];
  const { writeBigInts } = writer.serializer.options ?? {};
  const { readUnsafeIntegers } = reader.serializer.options ?? {};
  // With a JSON Schema of its own it would refuse such a text.
  if (writeBigInts === "string" && own(writer)?.language !== "json-schema")
    return [notDecided("", "the writer writes bigints as texts")];
  return writeBigInts === "number" && (readUnsafeIntegers === "refuse" || readUnsafeIntegers === "string")
    ? [
        notDecided(
          "",
          `the writer writes bigints as numbers, and the reader has readUnsafeIntegers "${readUnsafeIntegers}"`,
        ),
      ]
    : [];
}

/** What the values must be, in whatever format they are written. */
function valueObstacles(
  writer: FormOfService,
  reader: FormOfService,
  writing: JsonWriting,
): readonly Obstacle[] {
  const accepted = checksOf(reader);
  if (accepted.length === 0) return [];
  const written = checksOf(writer);
  if (accepted.some(({ language }) => language === "code"))
    return [notDecided("", "the reader's schema is code, of which nothing can be proved")];
  const known = written.filter(({ language }) => language === "json-schema");
  const found = accepted.flatMap(({ schema, fingerprint }) =>
    known.some((each) => each.fingerprint === fingerprint)
      ? []
      : leastOf(
          known.map((each) => jsonSchemaObstacles(each.schema as JsonSchema, schema as JsonSchema, writing)),
        ),
  );
  if (known.length > 0 || found.length > 0) return found;
  const isOpen = accepted.every(
    ({ schema }) => jsonSchemaObstacles(true, schema as JsonSchema, writing).length === 0,
  );
  return isOpen
    ? []
    : [notDecided("", "the writer has no JSON Schema of its values to compare with the reader's")];
}

/** The values satisfy every schema of the writer, so one that proves it is enough. */
function leastOf(proofs: readonly (readonly Obstacle[])[]): readonly Obstacle[] {
  return proofs.toSorted((one, other) => one.length - other.length)[0] ?? [];
}

/** The schemas that check the values of a format: its own, the one of all formats, else one of another format that is no format's own. */
function checksOf(form: FormOfService): readonly ContractSchema[] {
  const { version } = form;
  const isOfValues = ({ language }: ContractSchema) => language === "json-schema" || language === "code";
  const mine = own(form);
  const found = [
    ...(mine === undefined ? [] : [mine]),
    ...(version.body === undefined ? [] : [version.body]),
  ].filter(isOfValues);
  if (found.length > 0 || form.serializer.needsSchema === true) return found;
  return Object.values(version.schemas).filter(isOfValues).slice(0, 1);
}

function own({ serializer, version }: FormOfService): ContractSchema | undefined {
  return version.schemas[serializer.name];
}
