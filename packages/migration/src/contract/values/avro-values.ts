import type { AvroType } from "../structure/avro-type.js";
import {
  byteStrings,
  doubles,
  floats,
  integers,
  ofEntries,
  ofItems,
  ofMembers,
  texts,
  type Variations,
} from "./variations.js";

/** How often a recursive type is nested. */
const maxNesting = 3;

/**
 * Values of an Avro type, the smallest first, in the form of a serializer with `unions: "always"`, `longs: "bigint"` and raw logical types. Undefined
 * for a type without finite values.
 */
export function avroValues(type: AvroType): Variations {
  return valuesOf(type, new Map());
}

function valuesOf(type: AvroType, nesting: ReadonlyMap<AvroType, number>): Variations {
  switch (type.kind) {
    case "null":
      return [null];
    case "boolean":
      return [false, true];
    case "int":
      return integers(32, true).map(Number);
    case "long":
      return type.logicalType === undefined
        ? integers(64, true)
        : [0n, 1n, 1_700_000_000_000n, -1n, 1_700_000_000_000_123n];
    case "float":
      return floats;
    case "double":
      return doubles;
    case "bytes":
      return type.logicalType === "decimal" ? decimals(type.precision ?? 1) : byteStrings;
    case "string":
      return type.logicalType === "uuid" ? ["123e4567-e89b-12d3-a456-426614174000"] : texts;
    case "fixed":
      return [new Uint8Array(type.size), new Uint8Array(type.size).fill(1)];
    case "enum":
      return type.symbols;
    case "array":
      return ofItems(valuesOf(type.items, nesting));
    case "map":
      return ofEntries(valuesOf(type.values, nesting));
    case "union":
      // A branch that does not end is left out; the others are read first.
      return type.branches
        .map((branch) =>
          valuesOf(branch, nesting).map((value) => (value === null ? null : { [branchName(branch)]: value })),
        )
        .sort((one, other) => Number(isDeep(one)) - Number(isDeep(other)))
        .flat();
    case "record": {
      const depth = (nesting.get(type) ?? 0) + 1;
      if (depth > maxNesting) return [];
      const inner = new Map([...nesting, [type, depth]]);
      const members = type.fields.map((field) => [field.name, valuesOf(field.type, inner)] as const);
      return members.some(([, values]) => values.length === 0) ? [] : ofMembers(Object.fromEntries(members));
    }
  }
}

function isDeep([first]: Variations): boolean {
  return (
    typeof first === "object" &&
    first !== null &&
    Object.values(first).some((value) => typeof value === "object")
  );
}

/** The smallest, and those of the most digits. */
function decimals(precision: number): readonly Uint8Array[] {
  const most = 10n ** BigInt(precision) - 1n;
  return [0n, 1n, most, -most].map(twosComplement);
}

function twosComplement(value: bigint): Uint8Array {
  let length = 1;
  while (BigInt.asIntN(8 * length, value) !== value) length++;
  const hex = BigInt.asUintN(8 * length, value)
    .toString(16)
    .padStart(2 * length, "0");
  return Uint8Array.from(hex.match(/../g) ?? [], (each) => Number.parseInt(each, 16));
}

/** The name of a branch in a wrapped union value. */
function branchName(type: AvroType): string {
  return "name" in type ? type.name : type.kind;
}
