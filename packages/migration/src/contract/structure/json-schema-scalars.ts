import type { Keywords } from "./json-schema-document.js";
import { typesOf } from "./json-schema-types.js";
import { asNotDecided, breaks, notDecided, type Obstacle } from "./obstacle.js";

/** Why the limits of a reader's schema refuse numbers, texts, or sizes of the writer's. */
export function compareScalars(
  written: readonly Keywords[],
  reader: Keywords,
  path: string,
): readonly Obstacle[] {
  const types = typesOf(written);
  return [
    ...(types.has("number") || types.has("integer") ? compareNumbers(written, reader, path) : []),
    ...(types.has("string") ? compareTexts(written, reader, path) : []),
    ...(types.has("array") ? compareItemCounts(written.map(withTupleSize), reader, path) : []),
    ...(types.has("object") ? compareSizes(withPropertyCounts(written), reader, path, "Properties") : []),
  ];
}

function compareNumbers(written: readonly Keywords[], reader: Keywords, path: string): readonly Obstacle[] {
  const limits: Obstacle[] = [];
  const isWhole = !typesOf(written).has("number");
  const low = Math.max(...written.map((each) => lowest(each, isWhole)));
  const high = Math.min(...written.map((each) => highest(each, isWhole)));
  const isOpenLow = written.some((each) => each.exclusiveMinimum === low);
  const isOpenHigh = written.some((each) => each.exclusiveMaximum === high);
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = reader as Readonly<
    Record<string, number | undefined>
  >;
  if (minimum !== undefined && low < minimum)
    limits.push(breaks(path, `the reader accepts numbers from ${minimum}`));
  if (maximum !== undefined && high > maximum)
    limits.push(breaks(path, `the reader accepts numbers up to ${maximum}`));
  if (exclusiveMinimum !== undefined && !(low > exclusiveMinimum || (low === exclusiveMinimum && isOpenLow)))
    limits.push(breaks(path, `the reader accepts numbers above ${exclusiveMinimum}`));
  if (
    exclusiveMaximum !== undefined &&
    !(high < exclusiveMaximum || (high === exclusiveMaximum && isOpenHigh))
  )
    limits.push(breaks(path, `the reader accepts numbers below ${exclusiveMaximum}`));
  // The least and the greatest multiple are not those limits.
  const isStepped = written.some((each) => each.multipleOf !== undefined);
  const found = [...(isStepped ? asNotDecided(limits) : limits)];
  if (multipleOf !== undefined) {
    const divisors = [
      ...written.flatMap((each) => (each.multipleOf as number | undefined) ?? []),
      ...(isWhole ? [1] : []),
    ];
    if (!divisors.some((divisor) => divisor % multipleOf === 0))
      found.push(breaks(path, `the reader accepts multiples of ${multipleOf}`));
  }
  const { format } = reader;
  const bits = format === "int32" ? 31 : format === "int64" ? 63 : undefined;
  const isWithin = bits !== undefined && isWhole && low >= -(2 ** bits) && high < 2 ** bits;
  if (format !== undefined && !isWithin && !written.some((each) => each.format === format))
    found.push(
      notDecided(path, `whether all numbers of the writer have the format ${String(format)} is not known`),
    );
  return found;
}

function lowest({ minimum, exclusiveMinimum }: Keywords, isWhole: boolean): number {
  const above = exclusiveMinimum as number | undefined;
  const open = above === undefined ? Number.NEGATIVE_INFINITY : isWhole ? Math.floor(above) + 1 : above;
  const least = (minimum as number | undefined) ?? Number.NEGATIVE_INFINITY;
  return Math.max(isWhole ? Math.ceil(least) : least, open);
}

function highest({ maximum, exclusiveMaximum }: Keywords, isWhole: boolean): number {
  const below = exclusiveMaximum as number | undefined;
  const open = below === undefined ? Number.POSITIVE_INFINITY : isWhole ? Math.ceil(below) - 1 : below;
  const most = (maximum as number | undefined) ?? Number.POSITIVE_INFINITY;
  return Math.min(isWhole ? Math.floor(most) : most, open);
}

function compareTexts(written: readonly Keywords[], reader: Keywords, path: string): readonly Obstacle[] {
  const hasForm = written.some((each) => each.pattern !== undefined || each.format !== undefined);
  const sizes = compareSizes(written, reader, path, "Length");
  const found = [...(hasForm ? asNotDecided(sizes) : sizes)];
  const { pattern, format } = reader;
  if (pattern !== undefined && !written.some((each) => each.pattern === pattern))
    found.push(
      hasForm
        ? notDecided(path, "whether all texts of the writer match the reader's pattern is not known")
        : breaks(path, `the reader accepts only texts that match ${JSON.stringify(pattern)}`),
    );
  if (format !== undefined && !written.some((each) => each.format === format))
    found.push(
      hasForm
        ? notDecided(path, `whether all texts of the writer have the format ${String(format)} is not known`)
        : breaks(path, `the reader accepts only texts of the format ${String(format)}`),
    );
  return found;
}

function compareItemCounts(
  written: readonly Keywords[],
  reader: Keywords,
  path: string,
): readonly Obstacle[] {
  const sizes = compareSizes(written, reader, path, "Items");
  const differ = written.some(({ uniqueItems, maxItems }) => uniqueItems === true || Number(maxItems) <= 1);
  return reader.uniqueItems !== true || differ
    ? sizes
    : [...sizes, breaks(path, "the reader accepts only items that differ")];
}

function compareSizes(
  written: readonly Keywords[],
  reader: Keywords,
  path: string,
  of: "Length" | "Items" | "Properties",
): readonly Obstacle[] {
  const least = Math.max(0, ...written.map((each) => (each[`min${of}`] as number | undefined) ?? 0));
  const most = Math.min(
    ...written.map((each) => (each[`max${of}`] as number | undefined) ?? Number.POSITIVE_INFINITY),
  );
  const { [`min${of}`]: minimum = 0, [`max${of}`]: maximum = Number.POSITIVE_INFINITY } = reader as Readonly<
    Record<string, number>
  >;
  const what = of === "Length" ? "characters" : of.toLowerCase();
  return [
    ...(least < minimum ? [breaks(path, `the reader accepts at least ${minimum} ${what}`)] : []),
    ...(most > maximum ? [breaks(path, `the reader accepts at most ${maximum} ${what}`)] : []),
  ];
}

/** A closed tuple has at most as many items as places. */
function withTupleSize(schema: Keywords): Keywords {
  if (schema.items !== false) return schema;
  const places = ((schema.prefixItems as readonly unknown[] | undefined) ?? []).length;
  return { ...schema, maxItems: Math.min(places, Number(schema.maxItems ?? places)) };
}

/** An object has at least the properties that it must have, and a closed one at most those that it names. */
function withPropertyCounts(written: readonly Keywords[]): readonly Keywords[] {
  const required = new Set(written.flatMap((each) => (each.required as readonly string[] | undefined) ?? []));
  const closed = written
    .filter(
      ({ additionalProperties, patternProperties }) =>
        additionalProperties === false && patternProperties === undefined,
    )
    .map(({ properties = {} }) => ({ maxProperties: Object.keys(properties as object).length }));
  return [...written, ...closed, { minProperties: required.size }];
}
