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
      ? byForm(written, own, writerSchemas)
      : byId(writer, written, reader, [own, ...writerSchemas]);
  if (typeof known === "object") return [known];
  return avroObstacles(avroTypeOf(written.schema), avroTypeOf(own.schema), { knowsLogicalTypes: known });
}

/** Whether the reader knows the writer's logical types; or why it does not know the schema at all. */
function byForm(
  written: IdentifiedAvro,
  own: IdentifiedAvro,
  others: readonly IdentifiedAvro[],
): boolean | Obstacle {
  const form = parsingForm(avroTypeOf(written.schema));
  if (parsingForm(avroTypeOf(own.schema)) === form) return false;
  if (others.some(({ schema }) => parsingForm(avroTypeOf(schema)) === form)) return true;
  return breaks(
    "",
    "the reader does not know the writer's Avro schema, whose fingerprint stands in the body: list it in the reader's writerSchemas first, or give the change a version of its own",
  );
}

function byId(
  { options }: AvroSide,
  { schema, schemaId }: IdentifiedAvro,
  reader: AvroSide,
  known: readonly IdentifiedAvro[],
): boolean | Obstacle {
  if (options.framing === "confluent" && reader.options.acceptsConfluent !== true)
    return breaks(
      "",
      "bodies have Confluent's framing, and the reader does not accept it (acceptsConfluent)",
    );
  const same = known.find((each) => each.schemaId === schemaId);
  if (same === undefined)
    return reader.options.schemaById === true
      ? true
      : breaks(
          "",
          `the reader does not know the Avro schema with the id ${schemaId}: list it in its writerSchemas, or give it schemaById`,
        );
  return parsingForm(avroTypeOf(same.schema)) === parsingForm(avroTypeOf(schema))
    ? true
    : breaks("", `the reader has another Avro schema under the id ${schemaId}`);
}
