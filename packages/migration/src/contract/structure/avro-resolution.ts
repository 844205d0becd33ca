import {
  type AvroArray,
  type AvroEnum,
  type AvroFixed,
  type AvroMap,
  type AvroRecord,
  type AvroScalar,
  type AvroType,
  type AvroUnion,
  simpleName,
} from "./avro-type.js";
import { breaks, notDecided, type Obstacle } from "./obstacle.js";

/** What a value of the key's type may be read as, besides the same type. Source: Avro specification 1.12, "Schema Resolution". */
const promotions: Readonly<Record<string, readonly string[]>> = {
  int: ["long", "float", "double"],
  long: ["float", "double"],
  float: ["double"],
  string: ["bytes"],
  bytes: ["string"],
};

/** How the reader knows the logical types of what it reads. */
export interface AvroReading {
  /** Whether the writer's schema is known with its logical types; else the reader's own are taken, as with a fingerprint, which ignores them. */
  readonly knowsLogicalTypes: boolean;
}

/**
 * Why a reader with one schema does not read every value of another, by the specification's rules of schema resolution. Recursive schemas are
 * compared once per pair of types.
 */
export function avroObstacles(writer: AvroType, reader: AvroType, reading: AvroReading): readonly Obstacle[] {
  return new Resolution(reading).compare(writer, reader, "");
}

class Resolution {
  readonly #reading: AvroReading;
  /** Pairs of named types that were compared, or are being compared: a recursive one holds if all else does. */
  readonly #compared = new Map<AvroType, Set<AvroType>>();

  constructor(reading: AvroReading) {
    this.#reading = reading;
  }

  compare(writer: AvroType, reader: AvroType, path: string): readonly Obstacle[] {
    if (writer.kind === "union") return this.#eachBranch(writer, reader, path);
    if (reader.kind === "union") return this.#oneOf(writer, reader, path);
    if (!matches(writer, reader)) return [breaks(path, `${nameOf(writer)} is not read as ${nameOf(reader)}`)];
    // What matches is of the same kind, but for the promotions of scalars.
    switch (writer.kind) {
      case "array":
        return this.compare(writer.items, (reader as AvroArray).items, `${path}[]`);
      case "map":
        return this.compare(writer.values, (reader as AvroMap).values, `${path}{}`);
      case "record":
        return this.#once(writer, reader as AvroRecord, path);
      case "enum":
        return compareSymbols(writer, reader as AvroEnum, path);
      default:
        return this.#compareLogical(writer, reader as AvroScalar | AvroFixed, path);
    }
  }

  #eachBranch({ branches }: AvroUnion, reader: AvroType, path: string): readonly Obstacle[] {
    return branches.flatMap((branch) =>
      this.compare(branch, reader, path).map((obstacle) =>
        reader.kind === "union" || obstacle.path !== path
          ? obstacle
          : { ...obstacle, text: `${obstacle.text}, and it is one of the writer's union` },
      ),
    );
  }

  /** The first branch that matches decides; libraries differ in what they do if that one cannot be resolved, and another can. */
  #oneOf(writer: AvroType, { branches }: AvroUnion, path: string): readonly Obstacle[] {
    const matching = branches.filter((branch) => matches(writer, branch));
    const exact = matching.filter((branch) => branch.kind === writer.kind);
    const [first, ...others] = exact.length > 0 ? exact : matching;
    if (first === undefined) return [breaks(path, `${nameOf(writer)} is not in the reader's union`)];
    const obstacles = this.compare(writer, first, path);
    if (obstacles.length === 0 || others.length === 0) return obstacles;
    return [
      notDecided(path, `${nameOf(writer)} matches several branches of the reader's union, and not the first`),
    ];
  }

  #once(writer: AvroRecord, reader: AvroRecord, path: string): readonly Obstacle[] {
    const compared = this.#compared.get(writer) ?? new Set();
    this.#compared.set(writer, compared);
    if (compared.has(reader)) return [];
    compared.add(reader);
    return this.#compareFields(writer, reader, path);
  }

  #compareFields(writer: AvroRecord, reader: AvroRecord, path: string): readonly Obstacle[] {
    return reader.fields.flatMap((field) => {
      const where = path === "" ? field.name : `${path}.${field.name}`;
      const written =
        writer.fields.find(({ name }) => name === field.name) ??
        writer.fields.find(({ name }) => field.aliases.includes(name));
      if (written !== undefined) {
        const isShared =
          written.name !== field.name && reader.fields.some(({ name }) => name === written.name);
        return isShared
          ? [
              notDecided(
                where,
                `the reader has two fields that may be read from the writer's ${written.name}`,
              ),
            ]
          : this.compare(written.type, field.type, where);
      }
      return field.hasDefault
        ? []
        : [breaks(where, "the writer has no such field, and the reader's has no default")];
    });
  }

  #compareLogical(
    writer: AvroScalar | AvroFixed,
    reader: AvroScalar | AvroFixed,
    path: string,
  ): readonly Obstacle[] {
    const [written, wanted] = [writer.logicalType, reader.logicalType];
    if (wanted === undefined) return [];
    if (written === undefined)
      return [
        notDecided(
          path,
          `only values within the range of ${wanted} are read, and the writer has no logical type`,
        ),
      ];
    if (written === wanted) return this.#compareDecimals(writer, reader, path);
    if (this.#reading.knowsLogicalTypes && isSameQuantity(written, wanted)) return [];
    return [breaks(path, `${written} is not read as ${wanted}${this.#note()}`)];
  }

  #compareDecimals(
    writer: AvroScalar | AvroFixed,
    reader: AvroScalar | AvroFixed,
    path: string,
  ): readonly Obstacle[] {
    const { precision = 0, scale = 0 } = writer;
    const { precision: digits = 0, scale: places = 0 } = reader;
    if (precision === digits && scale === places) return [];
    const text = `decimal(${precision},${scale}) is not read as decimal(${digits},${places})`;
    const isExact =
      scale === places
        ? precision <= digits
        : this.#reading.knowsLogicalTypes && scale < places && precision - scale <= digits - places;
    return isExact
      ? [notDecided(path, `${text} by the specification; only waybill's reader converts it, exactly`)]
      : [breaks(path, `${text}${scale === places ? "" : this.#note()}`)];
  }

  #note(): string {
    return this.#reading.knowsLogicalTypes ? "" : ": the fingerprint in the body ignores logical types";
  }
}

/** Whether two types can be resolved at all, without what is in them. */
function matches(writer: AvroType, reader: AvroType): boolean {
  if (writer.kind !== reader.kind) return promotions[writer.kind]?.includes(reader.kind) ?? false;
  if (!("name" in writer)) return true;
  const { name, aliases } = reader as typeof writer;
  const isOfSize = writer.kind !== "fixed" || writer.size === (reader as AvroFixed).size;
  return isOfSize && [name, ...aliases].some((each) => simpleName(each) === simpleName(writer.name));
}

function compareSymbols(writer: AvroEnum, reader: AvroEnum, path: string): readonly Obstacle[] {
  if (reader.default !== undefined) return [];
  const unknown = writer.symbols.filter((symbol) => !reader.symbols.includes(symbol));
  if (unknown.length === 0) return [];
  const names = unknown.slice(0, 3).join(", ");
  return [
    breaks(path, `the reader's enum lacks ${names}${unknown.length > 3 ? " …" : ""}, and has no default`),
  ];
}

/** Milliseconds and microseconds, which the reader converts. */
function isSameQuantity(one: string, other: string): boolean {
  const quantity = (name: string) => /^((?:local-)?timestamp)-(?:millis|micros)$/.exec(name)?.[1];
  return quantity(one) !== undefined && quantity(one) === quantity(other);
}

function nameOf(type: AvroType): string {
  if (type.kind === "fixed") return `fixed ${type.name} of ${type.size} bytes`;
  return "name" in type ? `${type.kind} ${type.name}` : type.kind;
}
