import { isDeepStrictEqual } from "node:util";
import type { JsonSchema } from "@waybill/serializer-json";
import { canonicalText } from "../../capability/canonical-text.js";
import { areDisjoint } from "./json-schema-disjoint.js";
import { JsonSchemaDocument, type Keywords } from "./json-schema-document.js";
import { compareScalars } from "./json-schema-scalars.js";
import { typesOf } from "./json-schema-types.js";
import { breaks, notDecided, type Obstacle } from "./obstacle.js";

/** What is known of a writer besides its schema. */
export interface JsonWriting {
  /** Whether it writes only properties that its schema names, although the schema lets it write others. */
  readonly writesOnlyDeclared: boolean;
}

/**
 * Why a reader's schema does not accept every value of a writer's. A proof by keywords: what it does not understand in the reader's schema is not
 * decided, unless the writer's schema has the same.
 */
export function jsonSchemaObstacles(
  writer: JsonSchema,
  reader: JsonSchema,
  writing: JsonWriting,
): readonly Obstacle[] {
  if (isDeepStrictEqual(writer, reader)) return [];
  return new Inclusion(new JsonSchemaDocument(writer), new JsonSchemaDocument(reader), writing).compare(
    [writer],
    reader,
    "",
    0,
  );
}

/** Deeper than schemas of messages. */
const maxDepth = 64;

/** Keywords that are compared as a whole, together with those that change their meaning. */
const opaque: readonly (readonly string[])[] = [
  ["propertyNames"],
  ["dependentRequired"],
  ["dependentSchemas"],
  ["dependencies"],
  ["contains", "minContains", "maxContains"],
  ["if", "then", "else"],
];

/** Keywords whose meaning depends on all others around them. */
const contextual: readonly string[] = ["unevaluatedProperties", "unevaluatedItems", "$dynamicRef"];

const understood: ReadonlySet<string> = new Set([
  ...opaque.flat(),
  ...contextual,
  ...["$ref", "allOf", "anyOf", "oneOf", "not", "enum", "const", "type"],
  ...["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"],
  ...["minLength", "maxLength", "pattern", "format"],
  ...["minItems", "maxItems", "uniqueItems", "items", "prefixItems"],
  ...[
    "properties",
    "patternProperties",
    "additionalProperties",
    "required",
    "minProperties",
    "maxProperties",
  ],
]);

class Inclusion {
  readonly #writer: JsonSchemaDocument;
  readonly #reader: JsonSchemaDocument;
  readonly #writing: JsonWriting;
  /** Pairs that are being compared, or were: recursive schemas hold if all else does. */
  readonly #compared: Set<string>;

  constructor(
    writer: JsonSchemaDocument,
    reader: JsonSchemaDocument,
    writing: JsonWriting,
    compared: Iterable<string> = [],
  ) {
    this.#writer = writer;
    this.#reader = reader;
    this.#writing = writing;
    this.#compared = new Set(compared);
  }

  /** Whether everything that all the writer's schemas accept together is accepted by the reader's. */
  compare(
    schemas: readonly JsonSchema[],
    reader: JsonSchema,
    path: string,
    depth: number,
  ): readonly Obstacle[] {
    if (depth > maxDepth) return [notDecided(path, `the schema is nested deeper than ${maxDepth} levels`)];
    const key = canonicalText([schemas, reader]) ?? "";
    if (this.#compared.has(key)) return [];
    this.#compared.add(key);
    const written = this.#flattened(schemas);
    if (written === undefined)
      return [notDecided(path, "the writer's schema has a reference that is not in it")];
    const alternatives = this.#alternatives(written);
    if (alternatives === undefined) return this.#compareAll(written, reader, path, depth);
    return alternatives.flatMap((each) => this.compare(each, reader, path, depth + 1));
  }

  /** The writer's schemas without references and `allOf`; undefined if a reference is unknown. */
  #flattened(
    schemas: readonly JsonSchema[],
    seen: ReadonlySet<unknown> = new Set(),
  ): readonly Keywords[] | undefined {
    const flat: Keywords[] = [];
    for (const schema of schemas) {
      const { $ref, allOf, ...rest } = this.#writer.restrictions(schema);
      flat.push(rest);
      const inner = [...((allOf as readonly JsonSchema[] | undefined) ?? [])];
      if ($ref !== undefined) {
        const target = this.#writer.resolve(String($ref));
        if (target === undefined || seen.has(target)) return undefined;
        inner.push(target);
      }
      const more = inner.length === 0 ? [] : this.#flattened(inner, new Set([...seen, ...inner]));
      if (more === undefined) return undefined;
      flat.push(...more);
    }
    return flat;
  }

  /** The writer's schema as several of which each must be accepted: its `anyOf`, its `oneOf`, or its types. */
  #alternatives(written: readonly Keywords[]): readonly (readonly JsonSchema[])[] | undefined {
    for (const keyword of ["anyOf", "oneOf"]) {
      const at = written.findIndex((each) => each[keyword] !== undefined);
      if (at < 0) continue;
      const { [keyword]: members, ...rest } = written[at] as Keywords;
      const others = [...written.slice(0, at), rest, ...written.slice(at + 1)];
      return (members as readonly JsonSchema[]).map((member) => [...others, member]);
    }
    const types = typesOf(written);
    if (types.size < 2 || types.size > 6 || valuesOf(written) !== undefined) return undefined;
    return [...types].map((type) => [{ type }, ...written.map(({ type: _, ...rest }) => rest)]);
  }

  #compareAll(
    written: readonly Keywords[],
    schema: JsonSchema,
    path: string,
    depth: number,
  ): readonly Obstacle[] {
    if (written.some((each) => isDeepStrictEqual(each.not, {}))) return [];
    const reader = this.#reader.restrictions(schema);
    const values = valuesOf(written);
    if (values !== undefined) return this.#compareValues(values, written, schema, path);
    const unknown = Object.keys(reader).find((keyword) => !understood.has(keyword));
    if (unknown !== undefined)
      return [notDecided(path, `the keyword "${unknown}" of the reader's schema is not understood`)];
    return [
      ...this.#compareCombined(written, reader, path, depth),
      ...this.#compareOpaque(written, reader, path),
      ...this.#compareTypes(written, reader, path),
      ...compareScalars(written, reader, path),
      ...(typesOf(written).has("array") ? this.#compareArrays(written, reader, path, depth) : []),
      ...(typesOf(written).has("object") ? this.#compareObjects(written, reader, path, depth) : []),
    ];
  }

  #compareValues(
    values: readonly unknown[],
    written: readonly Keywords[],
    schema: JsonSchema,
    path: string,
  ): readonly Obstacle[] {
    const possible = values.filter((value) =>
      written.every((each) => this.#writer.accepts(each, value) !== false),
    );
    const answers = possible.map((value) => [value, this.#reader.accepts(schema, value)] as const);
    const refused = answers.find(([, isAccepted]) => isAccepted === false);
    if (refused !== undefined)
      return [breaks(path, `the reader does not accept ${JSON.stringify(refused[0])}`)];
    return answers.some(([, isAccepted]) => isAccepted === undefined)
      ? [notDecided(path, "the reader's schema of these values cannot be compiled alone")]
      : [];
  }

  #compareCombined(
    written: readonly Keywords[],
    reader: Keywords,
    path: string,
    depth: number,
  ): readonly Obstacle[] {
    const found: Obstacle[] = [];
    const inner = (schema: JsonSchema) => this.compare(written, schema, path, depth + 1);
    if (reader.$ref !== undefined) {
      const target = this.#reader.resolve(String(reader.$ref));
      if (target === undefined)
        found.push(notDecided(path, `the reader's reference ${String(reader.$ref)} is not in its schema`));
      else found.push(...inner(target));
    }
    for (const schema of (reader.allOf as readonly JsonSchema[] | undefined) ?? [])
      found.push(...inner(schema));
    if (reader.anyOf !== undefined) found.push(...this.#someOf(written, reader.anyOf as JsonSchema[], path));
    if (reader.oneOf !== undefined) found.push(...this.#oneOf(written, reader.oneOf as JsonSchema[], path));
    if (
      reader.not !== undefined &&
      !areDisjoint(this.#writer, written, this.#reader, reader.not as JsonSchema)
    )
      found.push(
        isDeepStrictEqual(reader.not, {})
          ? breaks(path, "the reader accepts no value here")
          : notDecided(path, 'the reader\'s "not" may refuse a value of the writer'),
      );
    if (reader.const !== undefined || reader.enum !== undefined) {
      const isUnlimited = written.every((each) => Object.keys(each).every((keyword) => keyword === "type"));
      const text = "the reader accepts only certain values, and the writer may write others";
      found.push(isUnlimited ? breaks(path, text) : notDecided(path, text));
    }
    return found;
  }

  /** A proof on its own, so that a failed one leaves no pairs behind. */
  #holds(written: readonly Keywords[], schema: JsonSchema): boolean {
    const inner = new Inclusion(this.#writer, this.#reader, this.#writing, this.#compared);
    return inner.compare(written, schema, "", 1).length === 0;
  }

  #someOf(written: readonly Keywords[], members: readonly JsonSchema[], path: string): readonly Obstacle[] {
    if (members.some((member) => this.#holds(written, member))) return [];
    return this.#refusedByAll(written, members, path, "anyOf");
  }

  #oneOf(written: readonly Keywords[], members: readonly JsonSchema[], path: string): readonly Obstacle[] {
    const at = members.findIndex((member) => this.#holds(written, member));
    if (at < 0) return this.#refusedByAll(written, members, path, "oneOf");
    const others = members.filter((_, index) => index !== at);
    if (others.every((other) => areDisjoint(this.#writer, written, this.#reader, other))) return [];
    return [notDecided(path, "a value of the writer may match several members of the reader's oneOf")];
  }

  #refusedByAll(
    written: readonly Keywords[],
    members: readonly JsonSchema[],
    path: string,
    keyword: string,
  ): readonly Obstacle[] {
    if (members.every((member) => areDisjoint(this.#writer, written, this.#reader, member)))
      return [breaks(path, `no member of the reader's ${keyword} accepts it`)];
    return [notDecided(path, `no single member of the reader's ${keyword} accepts every value`)];
  }

  #compareOpaque(written: readonly Keywords[], reader: Keywords, path: string): readonly Obstacle[] {
    // References mean what each document has there, although their texts are the same.
    const isWritten = (keywords: readonly string[]) =>
      !JSON.stringify(keywords.map((keyword) => reader[keyword])).includes('"$ref"') &&
      written.some((each) => keywords.every((keyword) => isDeepStrictEqual(each[keyword], reader[keyword])));
    const isUsed = (keyword: string) => reader[keyword] !== undefined;
    const found = [
      ...opaque.filter(([first = ""]) => isUsed(first)).filter((keywords) => !isWritten(keywords)),
      ...contextual.filter(isUsed).map((keyword) => [keyword]),
    ];
    return found.map(([keyword]) => notDecided(path, `"${keyword}" of the reader's schema is not compared`));
  }

  #compareTypes(written: readonly Keywords[], reader: Keywords, path: string): readonly Obstacle[] {
    if (reader.type === undefined) return [];
    const wanted = typesOf([reader]);
    const refused = [...typesOf(written)].filter(
      (type) => !wanted.has(type) && !(type === "integer" && wanted.has("number")),
    );
    if (refused.length === 0) return [];
    const isWhole =
      refused.join() === "number" &&
      wanted.has("integer") &&
      written.some((each) => Number.isInteger(each.multipleOf));
    if (isWhole) return [];
    return [breaks(path, `${refused.join(" or ")} is not read as ${[...wanted].join(" or ")}`)];
  }

  #compareArrays(
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
        found.push(...this.compare(at(index), schema, `${path}[${index}]`, depth + 1));
    }
    if (reader.items !== undefined && longest > count)
      found.push(...this.compare(at(count), reader.items as JsonSchema, `${path}[]`, depth + 1));
    return found;
  }

  #compareObjects(
    written: readonly Keywords[],
    reader: Keywords,
    path: string,
    depth: number,
  ): readonly Obstacle[] {
    const at = (name: string) => (path === "" ? name : `${path}.${name}`);
    const required = new Set(
      written.flatMap((each) => (each.required as readonly string[] | undefined) ?? []),
    );
    const missing = ((reader.required as readonly string[] | undefined) ?? []).filter(
      (name) => !required.has(name),
    );
    const found: Obstacle[] = missing.map((name) =>
      breaks(at(name), "the reader requires it, and the writer may leave it out"),
    );
    // What it refuses depends on all keywords around it, so that a name may not be writable at all.
    const mayBeClosed = written.some(({ unevaluatedProperties }) => unevaluatedProperties !== undefined);
    const properties = (reader.properties ?? {}) as Readonly<Record<string, JsonSchema>>;
    const patterns = Object.entries((reader.patternProperties ?? {}) as Readonly<Record<string, JsonSchema>>);
    const names = new Set([
      ...Object.keys(properties),
      ...written.flatMap((each) => Object.keys(each.properties ?? {})),
    ]);
    for (const name of names) {
      const schemas = this.#property(written, name);
      if (schemas === undefined) continue;
      const matching = patterns.filter(([pattern]) => new RegExp(pattern, "u").test(name));
      const wanted = [
        ...(Object.hasOwn(properties, name) ? [properties[name] as JsonSchema] : []),
        ...matching.map(([, schema]) => schema),
      ];
      if (wanted.length === 0 && reader.additionalProperties !== undefined)
        wanted.push(reader.additionalProperties as JsonSchema);
      for (const schema of wanted)
        found.push(
          ...this.compare(schemas, schema, at(name), depth + 1).map((obstacle) =>
            schemas.length === 0
              ? {
                  ...obstacle,
                  ...(mayBeClosed ? { kind: "not-decided" as const } : {}),
                  text: `${obstacle.text}: the writer's schema lets it write any value under this name`,
                }
              : obstacle,
          ),
        );
    }
    return [...found, ...this.#compareOthers(written, reader, path, depth)];
  }

  /** The writer's schemas of a property; undefined if it writes none of this name. */
  #property(written: readonly Keywords[], name: string): readonly JsonSchema[] | undefined {
    let isDeclared = false;
    const schemas: JsonSchema[] = [];
    for (const { properties = {}, patternProperties = {}, additionalProperties } of written) {
      const own = Object.hasOwn(properties as object, name)
        ? [(properties as Readonly<Record<string, JsonSchema>>)[name] as JsonSchema]
        : [];
      const matching = Object.entries(patternProperties as Readonly<Record<string, JsonSchema>>)
        .filter(([pattern]) => new RegExp(pattern, "u").test(name))
        .map(([, schema]) => schema);
      schemas.push(...own, ...matching);
      isDeclared ||= own.length + matching.length > 0;
      if (own.length + matching.length === 0 && additionalProperties !== undefined) {
        schemas.push(additionalProperties as JsonSchema);
        isDeclared ||= typeof additionalProperties === "object" && additionalProperties !== null;
      }
    }
    if (schemas.some((schema) => schema === false)) return undefined;
    return !isDeclared && this.#writing.writesOnlyDeclared ? undefined : schemas;
  }

  /** The properties that neither schema names. */
  #compareOthers(
    written: readonly Keywords[],
    reader: Keywords,
    path: string,
    depth: number,
  ): readonly Obstacle[] {
    const where = `${path}{}`;
    const others = written.flatMap(({ additionalProperties }) =>
      additionalProperties === undefined ? [] : [additionalProperties as JsonSchema],
    );
    const isClosed = others.includes(false) || (this.#writing.writesOnlyDeclared && others.length === 0);
    const patterns = Object.entries((reader.patternProperties ?? {}) as Readonly<Record<string, JsonSchema>>);
    const ofPatterns = patterns.flatMap(([pattern, schema]) => {
      const same = written.flatMap((each) => {
        const own = (each.patternProperties as Readonly<Record<string, JsonSchema>> | undefined)?.[pattern];
        return own === undefined ? [] : [own];
      });
      if (same.length > 0) return this.compare(same, schema, where, depth + 1);
      return isClosed && !written.some((each) => each.patternProperties !== undefined)
        ? []
        : [notDecided(where, `the writer may write properties that match ${JSON.stringify(pattern)}`)];
    });
    if (reader.additionalProperties === undefined) return ofPatterns;
    const ownPatterns = written.flatMap((each) =>
      Object.entries((each.patternProperties ?? {}) as Readonly<Record<string, JsonSchema>>),
    );
    const known = new Set(patterns.map(([pattern]) => pattern));
    const unmatched = ownPatterns.filter(([pattern]) => !known.has(pattern));
    const ofWritten = unmatched.flatMap(([, schema]) =>
      this.compare([schema], reader.additionalProperties as JsonSchema, where, depth + 1),
    );
    if (isClosed) return [...ofPatterns, ...ofWritten];
    const open = this.compare(others, reader.additionalProperties as JsonSchema, where, depth + 1);
    return [
      ...ofPatterns,
      ...ofWritten,
      ...(open.length === 0
        ? []
        : [breaks(where, "the writer's schema lets it write properties that the reader's does not accept")]),
    ];
  }
}

/** The only values that a schema accepts, if it lists them. */
function valuesOf(written: readonly Keywords[]): readonly unknown[] | undefined {
  const listed = written.find((each) => each.const !== undefined || each.enum !== undefined);
  if (listed === undefined) {
    const types = typesOf(written);
    if (types.size === 1 && types.has("null")) return [null];
    return types.size === 1 && types.has("boolean") ? [false, true] : undefined;
  }
  return listed.const === undefined ? (listed.enum as readonly unknown[]) : [listed.const];
}
