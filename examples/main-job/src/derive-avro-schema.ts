import type { AvroSchema } from "@waybill/serializer-avro";

/**
 * Derives the narrowest Avro schema that can write every sample and read it back exactly. Avro cannot leave a field out, so objects become records
 * only if all of them have the same keys, and maps otherwise; values of several types become a union.
 */
export function deriveAvroSchema(name: string, samples: readonly unknown[]): AvroSchema {
  return typeOf(samples, name, new Set());
}

const avroName = /^[A-Za-z_][A-Za-z0-9_]*$/;

function typeOf(values: readonly unknown[], name: string, taken: Set<string>): AvroSchema {
  const numbers = values.filter((value) => typeof value === "number");
  const arrays = values.filter(Array.isArray);
  const objects = values.filter(isObject);
  const kinds: AvroSchema[] = [];
  if (values.includes(null)) kinds.push("null");
  if (values.some((value) => typeof value === "boolean")) kinds.push("boolean");
  if (numbers.length > 0) kinds.push(numbers.every(Number.isSafeInteger) ? "long" : "double");
  if (values.some((value) => typeof value === "string")) kinds.push("string");
  if (arrays.length > 0) kinds.push({ type: "array", items: typeOf(arrays.flat(), name, taken) });
  if (objects.length > 0) kinds.push(objectType(objects, name, taken));
  // Without samples, as in an array that is always empty, any type will do.
  const [kind = "null", ...others] = kinds;
  return others.length === 0 ? kind : kinds;
}

function objectType(
  objects: readonly Readonly<Record<string, unknown>>[],
  name: string,
  taken: Set<string>,
): AvroSchema {
  const [first = {}] = objects;
  const keys = Object.keys(first);
  const isRecord =
    keys.length > 0 &&
    keys.every((key) => avroName.test(key)) &&
    objects.every((object) => Object.keys(object).length === keys.length) &&
    objects.every((object) => keys.every((key) => Object.hasOwn(object, key)));
  if (!isRecord) return { type: "map", values: typeOf(objects.flatMap(Object.values), name, taken) };
  const recordName = freeName(name, taken);
  const fields = keys.map((key) => ({
    name: key,
    type: typeOf(
      objects.map((object) => object[key]),
      `${recordName}_${key}`,
      taken,
    ),
  }));
  return { type: "record", name: recordName, fields };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A named type may be defined once per schema. Source: Avro specification, Names. */
function freeName(wish: string, taken: Set<string>): string {
  let name = wish;
  for (let count = 2; taken.has(name); count++) name = `${wish}_${count}`;
  taken.add(name);
  return name;
}
