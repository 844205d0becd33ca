import type { JsonSchema } from "@waybill/serializer-json";
import type { Keywords } from "./json-schema-document.js";
import { breaks, notDecided, type Obstacle } from "./obstacle.js";

/** Compares the schemas of members with each other. */
export interface MemberComparison {
  /** Whether the writer writes only properties that its schema names or requires. */
  readonly writesOnlyDeclared: boolean;
  /** Why the reader's schema does not accept everything that all the writer's schemas accept together. */
  compare(
    schemas: readonly JsonSchema[],
    reader: JsonSchema,
    path: string,
    depth: number,
  ): readonly Obstacle[];
}

type Schemas = Readonly<Record<string, JsonSchema>>;

/** Why the reader refuses items of the writer's arrays. */
export function compareItems(
  comparison: MemberComparison,
  written: readonly Keywords[],
  reader: Keywords,
  path: string,
  depth: number,
): readonly Obstacle[] {
  const found: Obstacle[] = [];
  const longest = Math.min(...written.map(({ maxItems = Number.POSITIVE_INFINITY }) => maxItems as number));
  const wanted = (reader.prefixItems as readonly JsonSchema[] | undefined) ?? [];
  const prefixes = written.map((each) => (each.prefixItems as readonly JsonSchema[] | undefined) ?? []);
  const count = Math.max(wanted.length, ...prefixes.map(({ length }) => length));
  const at = (index: number) =>
    written.flatMap((each, position) => {
      const schema = prefixes[position]?.[index] ?? (each.items as JsonSchema | undefined);
      return schema === undefined ? [] : [schema];
    });
  for (let index = 0; index < Math.min(count, longest); index++) {
    const schema = wanted[index] ?? (reader.items as JsonSchema | undefined);
    if (schema !== undefined)
      found.push(...comparison.compare(at(index), schema, `${path}[${index}]`, depth));
  }
  if (reader.items !== undefined && longest > count)
    found.push(...comparison.compare(at(count), reader.items as JsonSchema, `${path}[]`, depth));
  return found;
}

/** Why the reader refuses properties of the writer's objects, or misses some. */
export function compareProperties(
  comparison: MemberComparison,
  written: readonly Keywords[],
  reader: Keywords,
  path: string,
  depth: number,
): readonly Obstacle[] {
  const at = (name: string) => (path === "" ? name : `${path}.${name}`);
  const required = new Set(written.flatMap(requiredNames));
  const found: Obstacle[] = requiredNames(reader)
    .filter((name) => !required.has(name))
    .map((name) => breaks(at(name), "the reader requires it, and the writer may leave it out"));
  const properties = (reader.properties ?? {}) as Schemas;
  const names = new Set([
    ...Object.keys(properties),
    ...written.flatMap((each) => Object.keys(each.properties ?? {})),
    ...required,
  ]);
  for (const name of names) {
    const schemas = schemasOf(written, name, required.has(name) || !comparison.writesOnlyDeclared);
    if (schemas === undefined) continue;
    const wanted = [
      ...(Object.hasOwn(properties, name) ? [properties[name] as JsonSchema] : []),
      ...matching(reader, name),
    ];
    if (wanted.length === 0 && reader.additionalProperties !== undefined)
      wanted.push(reader.additionalProperties as JsonSchema);
    const why = schemas.length > 0 ? "" : ": the writer's schema lets it write any value under this name";
    for (const schema of wanted)
      for (const obstacle of comparison.compare(schemas, schema, at(name), depth))
        found.push({ ...obstacle, text: `${obstacle.text}${why}` });
  }
  return [...found, ...compareOthers(comparison, written, reader, path, depth)];
}

function requiredNames({ required = [] }: Keywords): readonly string[] {
  return required as readonly string[];
}

function patternsOf({ patternProperties = {} }: Keywords): readonly (readonly [string, JsonSchema])[] {
  return Object.entries(patternProperties as Schemas);
}

function matching(schema: Keywords, name: string): readonly JsonSchema[] {
  return patternsOf(schema)
    .filter(([pattern]) => new RegExp(pattern, "u").test(name))
    .map(([, each]) => each);
}

/** The writer's schemas of a property; undefined if it writes none of this name. `mayBeUndeclared` says whether it may be one that no schema names. */
function schemasOf(
  written: readonly Keywords[],
  name: string,
  mayBeUndeclared: boolean,
): readonly JsonSchema[] | undefined {
  let isDeclared = mayBeUndeclared;
  const schemas: JsonSchema[] = [];
  for (const each of written) {
    const { properties = {}, additionalProperties } = each;
    const named = [
      ...(Object.hasOwn(properties as object, name) ? [(properties as Schemas)[name] as JsonSchema] : []),
      ...matching(each, name),
    ];
    schemas.push(...named);
    isDeclared ||= named.length > 0;
    if (named.length === 0 && additionalProperties !== undefined) {
      schemas.push(additionalProperties as JsonSchema);
      isDeclared ||= typeof additionalProperties === "object" && additionalProperties !== null;
    }
  }
  return schemas.includes(false) || !isDeclared ? undefined : schemas;
}

/** The properties that neither schema names. */
function compareOthers(
  comparison: MemberComparison,
  written: readonly Keywords[],
  reader: Keywords,
  path: string,
  depth: number,
): readonly Obstacle[] {
  const where = `${path}{}`;
  const others = written.flatMap(({ additionalProperties }) =>
    additionalProperties === undefined ? [] : [additionalProperties as JsonSchema],
  );
  const isClosed = others.includes(false) || (comparison.writesOnlyDeclared && others.length === 0);
  const writtenPatterns = written.flatMap(patternsOf);
  const readerPatterns = patternsOf(reader);
  const found = readerPatterns.flatMap(([pattern, schema]) => {
    const same = writtenPatterns.filter(([own]) => own === pattern).map(([, own]) => own);
    if (same.length > 0) return comparison.compare(same, schema, where, depth);
    return isClosed && writtenPatterns.length === 0
      ? []
      : [notDecided(where, `the writer may write properties that match ${JSON.stringify(pattern)}`)];
  });
  if (reader.additionalProperties === undefined) return found;
  const additional = reader.additionalProperties as JsonSchema;
  const known = new Set(readerPatterns.map(([pattern]) => pattern));
  const unmatched = writtenPatterns.filter(([pattern]) => !known.has(pattern));
  found.push(...unmatched.flatMap(([, schema]) => comparison.compare([schema], additional, where, depth)));
  if (isClosed) return found;
  const open = comparison.compare(others, additional, where, depth);
  if (open.length === 0) return found;
  const text = "the writer's schema lets it write properties that the reader's does not accept";
  const isCertain = open.some(({ kind }) => kind === "breaks");
  return [...found, isCertain ? breaks(where, text) : notDecided(where, text)];
}
