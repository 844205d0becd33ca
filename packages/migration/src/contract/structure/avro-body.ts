import { avroObstacles } from "./avro-resolution.js";
import { avroTypeOf, parsingForm } from "./avro-type.js";
import { breaks, type Obstacle } from "./obstacle.js";

/** An Avro schema with its id in a registry, as a contract has it. */
interface IdentifiedAvro {
  readonly schema: unknown;
  readonly schemaId?: string | undefined;
}

/** Avro as one service has it. */
export interface AvroSide {
  readonly options: Readonly<Record<string, unknown>>;
  /** `{ schema, schemaId, writerSchemas }`. */
  readonly schema: unknown;
}

/** Why a reader does not read the Avro bodies of a writer: it does not know their schema, or cannot resolve it. */
export function avroBodyObstacles(writer: AvroSide, reader: AvroSide): readonly Obstacle[] {
  const written = writer.schema as IdentifiedAvro;
  const { writerSchemas = [], ...own } = reader.schema as IdentifiedAvro & {
    writerSchemas?: readonly IdentifiedAvro[];
  };
  const known =
    writer.options.framing === "single-object"
      ? knownByForm(written, [own, ...writerSchemas])
      : knownById(writer, written, reader, [own, ...writerSchemas]);
  if ("kind" in known) return [known];
  const [from, to] = [avroTypeOf(written.schema), avroTypeOf(own.schema)];
  if (known.schema === written.schema) return avroObstacles(from, to, { knowsLogicalTypes: true });
  // Bytes of one form are read with the logical types of the schema that the reader has for them.
  const as = avroTypeOf(known.schema);
  return [
    ...avroObstacles(from, as, { knowsLogicalTypes: false }),
    ...(known.schema === own.schema ? [] : avroObstacles(as, to, { knowsLogicalTypes: true })),
  ];
}

/** The schema that the reader has under the writer's fingerprint, which ignores logical types; or why it has none. */
function knownByForm(written: IdentifiedAvro, known: readonly IdentifiedAvro[]): IdentifiedAvro | Obstacle {
  return (
    known.find((each) => hasSameForm(each, written)) ??
    breaks(
      "",
      "the reader does not know the writer's Avro schema, whose fingerprint stands in the body: list it in the reader's writerSchemas first, or give the change a version of its own",
    )
  );
}

/** The schema that the reader has under the writer's id, or gets from the registry; or why it has none. */
function knownById(
  { options }: AvroSide,
  written: IdentifiedAvro,
  reader: AvroSide,
  known: readonly IdentifiedAvro[],
): IdentifiedAvro | Obstacle {
  const { schemaId } = written;
  if (options.framing === "confluent" && reader.options.acceptsConfluent !== true)
    return breaks(
      "",
      "bodies have Confluent's framing, and the reader does not accept it (acceptsConfluent)",
    );
  // A writer without an id looks it up in the registry, in which the reader finds the same schema.
  const same = schemaId === undefined ? undefined : known.find((each) => each.schemaId === schemaId);
  if (same !== undefined)
    return hasSameForm(same, written)
      ? same
      : breaks("", `the reader has another Avro schema under the id ${schemaId}`);
  return reader.options.schemaById === true
    ? written
    : breaks(
        "",
        `the reader does not know the Avro schema with the id ${schemaId}: list it in its writerSchemas, or give it schemaById`,
      );
}

function hasSameForm(one: IdentifiedAvro, other: IdentifiedAvro): boolean {
  return parsingForm(avroTypeOf(one.schema)) === parsingForm(avroTypeOf(other.schema));
}
