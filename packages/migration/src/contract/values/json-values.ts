import type { JsonSchema } from "@waybill/serializer-json";
import { JsonSchemaDocument, type Keywords } from "../structure/json-schema-document.js";
import { typesOf } from "../structure/json-schema-types.js";
import { ofMembers, texts, type Variations } from "./variations.js";

/** How deep schemas are followed; recursive ones end there. */
const maxDepth = 6;

/** What any schema without a type accepts. */
const anything: Variations = [null, false, 0, "a", [], {}];

/** Texts of the formats that are usual, one each. */
const formats: Readonly<Record<string, string>> = {
  "date-time": "2026-11-05T12:34:56Z",
  date: "2026-11-05",
  time: "12:34:56Z",
  duration: "P1D",
  email: "a@example.org",
  hostname: "example.org",
  ipv4: "192.0.2.1",
  ipv6: "2001:db8::1",
  uri: "https://example.org/a",
  "uri-reference": "/a",
  uuid: "123e4567-e89b-12d3-a456-426614174000",
  "json-pointer": "/a",
  byte: "AQI=",
};

/** How values are made. */
export interface JsonValuesOptions {
  /** The reader's schema: its limits, names and values are tried, too. */
  readonly reader?: JsonSchema | undefined;
  /** Whether properties that the schema does not name are written. */
  readonly writesOnlyDeclared: boolean;
  /** Makes texts that match a pattern. */
  readonly matching: (pattern: string) => readonly string[];
}

/** Values that a schema accepts, the smallest first; each differs from it in one respect. */
export function jsonValues(schema: JsonSchema, options: JsonValuesOptions): Variations {
  const document = new JsonSchemaDocument(schema);
  const values = new JsonValues(document, options).of(schema, options.reader, 0);
  return withoutRepeats(values).filter((value) => document.accepts(schema, value) !== false);
}

class JsonValues {
  readonly #document: JsonSchemaDocument;
  readonly #reader: JsonSchemaDocument;
  readonly #options: JsonValuesOptions;

  constructor(document: JsonSchemaDocument, options: JsonValuesOptions) {
    this.#document = document;
    this.#reader = new JsonSchemaDocument(options.reader ?? true);
    this.#options = options;
  }

  /** The values of a schema; `hint` is what the reader accepts in its place. */
  of(schema: JsonSchema, hint: JsonSchema | undefined, depth: number): Variations {
    if (schema === false) return [];
    const wanted = hint === undefined ? {} : merged(this.#reader, hint);
    return this.#of(merged(this.#document, schema), wanted, depth);
  }

  #of(keywords: Keywords, wanted: Keywords, depth: number): Variations {
    if (depth > maxDepth) return [];
    const { enum: listed, const: only, anyOf, oneOf, ...rest } = keywords;
    if (only !== undefined) return [only];
    if (listed !== undefined) return listed as Variations;
    const members = (anyOf ?? oneOf) as readonly JsonSchema[] | undefined;
    if (members !== undefined)
      return members.flatMap((member) =>
        this.#of(merge([rest, merged(this.#document, member)]), wanted, depth + 1),
      );
    const types = keywords.type === undefined ? undefined : [...typesOf([keywords])];
    if (types === undefined && !hasKeywordsOfTypes(keywords)) return this.#hinted(wanted, depth);
    return (types ?? impliedTypes(keywords)).flatMap((type) => this.#ofType(type, keywords, wanted, depth));
  }

  /** The writer's schema accepts anything: what the reader's accepts is tried, and what it does not. */
  #hinted(wanted: Keywords, depth: number): Variations {
    if (Object.keys(wanted).length === 0 || depth > 2) return anything;
    const inner = new JsonValues(this.#reader, { ...this.#options, reader: undefined });
    return [...inner.#of(wanted, {}, depth + 1), ...anything];
  }

  #ofType(type: string, keywords: Keywords, wanted: Keywords, depth: number): Variations {
    switch (type) {
      case "null":
        return [null];
      case "boolean":
        return [false, true];
      case "integer":
        return numbers(keywords, wanted).filter((each) => typeof each === "bigint" || Number.isInteger(each));
      case "number":
        return numbers(keywords, wanted);
      case "string":
        return this.#texts(keywords, wanted);
      case "array":
        return this.#lists(keywords, wanted, depth);
      default:
        return this.#objects(keywords, wanted, depth);
    }
  }

  #texts(keywords: Keywords, wanted: Keywords): Variations {
    const { format, pattern } = keywords as { format?: string; pattern?: string };
    const own = [
      ...(pattern === undefined ? [] : this.#options.matching(pattern)),
      ...(format === undefined ? [] : [formats[format] ?? []].flat()),
      ...(typeof wanted.format === "string" ? [formats[wanted.format] ?? []].flat() : []),
      ...(typeof wanted.pattern === "string" ? this.#options.matching(wanted.pattern) : []),
      ...[wanted.const, wanted.enum].flat().filter((each) => typeof each === "string"),
    ];
    const lengths = [keywords, wanted].flatMap(({ minLength, maxLength }) =>
      [minLength, maxLength].flatMap((length) =>
        typeof length === "number" ? [length - 1, length, length + 1] : [],
      ),
    );
    const sized = lengths
      .filter((length) => length >= 0 && length <= 10_000)
      .map((length) => "a".repeat(length));
    return pattern === undefined && format === undefined
      ? [...texts, ...own, ...sized]
      : [...own, ...texts, ...sized];
  }

  #lists(keywords: Keywords, wanted: Keywords, depth: number): Variations {
    const prefix = (keywords.prefixItems as readonly JsonSchema[] | undefined) ?? [];
    const hints = (wanted.prefixItems as readonly JsonSchema[] | undefined) ?? [];
    const at = (index: number): Variations =>
      this.of(
        prefix[index] ?? (keywords.items as JsonSchema | undefined) ?? true,
        hints[index] ?? (wanted.items as JsonSchema | undefined),
        depth + 1,
      );
    const ofSize = (size: number): Variations => {
      const members = Object.fromEntries(
        Array.from({ length: size }, (_, index) => [String(index), at(index)]),
      );
      if (Object.values(members).some((values) => values.length === 0)) return [];
      return ofMembers(members).map((each) => Object.values(each as object));
    };
    const least = (keywords.minItems as number | undefined) ?? 0;
    const sizes = new Set([
      least,
      prefix.length,
      hints.length,
      ...[keywords, wanted].flatMap(({ minItems, maxItems }) =>
        [minItems, maxItems].flatMap((size) => (typeof size === "number" ? [size - 1, size, size + 1] : [])),
      ),
      1,
      2,
    ]);
    const small = [...sizes].filter((size) => size >= least && size <= 32).sort((a, b) => a - b);
    const repeated = at(0)[0];
    return [...small.flatMap(ofSize), ...(repeated === undefined ? [] : [[repeated, repeated]])];
  }

  #objects(keywords: Keywords, wanted: Keywords, depth: number): Variations {
    const properties = (keywords.properties ?? {}) as Readonly<Record<string, JsonSchema>>;
    const hints = (wanted.properties ?? {}) as Readonly<Record<string, JsonSchema>>;
    const required = new Set((keywords.required as readonly string[] | undefined) ?? []);
    const members: Record<string, Variations> = {};
    for (const name of new Set([...required, ...Object.keys(properties)])) {
      const schema = properties[name] ?? (keywords.additionalProperties as JsonSchema | undefined) ?? true;
      const values = this.of(
        schema,
        hints[name] ?? (wanted.additionalProperties as JsonSchema | undefined),
        depth + 1,
      );
      if (values.length === 0 && required.has(name)) return [];
      members[name] = required.has(name) ? values : [undefined, ...values];
    }
    Object.assign(members, this.#others(keywords, wanted, members, depth));
    return ofMembers(members).map((value) =>
      Object.fromEntries(Object.entries(value as object).filter(([, member]) => member !== undefined)),
    );
  }

  /** Properties that the schema does not name: those of the reader, one of its patterns, and one that nobody names. */
  #others(keywords: Keywords, wanted: Keywords, members: object, depth: number): Record<string, Variations> {
    const { additionalProperties, patternProperties = {} } = keywords;
    const ofPatterns = Object.entries(patternProperties as Readonly<Record<string, JsonSchema>>).flatMap(
      ([pattern, schema]) =>
        this.#options
          .matching(pattern)
          .slice(0, 1)
          .map((name) => [name, [undefined, ...this.of(schema, undefined, depth + 1)]] as const),
    );
    const isSchema = typeof additionalProperties === "object";
    if (additionalProperties === false || (this.#options.writesOnlyDeclared && !isSchema))
      return Object.fromEntries(ofPatterns);
    const schema = (additionalProperties as JsonSchema | undefined) ?? true;
    const names = [...Object.keys((wanted.properties as object | undefined) ?? {}), "undeclared"].filter(
      (name) => !(name in members),
    );
    const hints = (wanted.properties ?? {}) as Readonly<Record<string, JsonSchema>>;
    const named = names.map(
      (name) => [name, [undefined, ...this.of(schema, hints[name], depth + 1)]] as const,
    );
    return Object.fromEntries([...ofPatterns, ...named]);
  }
}

/** 0, 1, the limits of both schemas and what is beside them, and integers that a double does not hold. */
function numbers(keywords: Keywords, wanted: Keywords): Variations {
  const names = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"];
  const limits = [keywords, wanted].flatMap((each) =>
    names.flatMap((name) => {
      const limit = each[name];
      return typeof limit === "number" ? [limit, limit - 1, limit + 1, limit + 0.5, limit - 0.5] : [];
    }),
  );
  const multiples = [keywords.multipleOf, wanted.multipleOf].flatMap((each) =>
    typeof each === "number" ? [each, each * 3] : [],
  );
  const listed = [wanted.const, wanted.enum].flat().filter((each) => typeof each === "number");
  return [
    0,
    1,
    -1,
    1.5,
    ...multiples,
    ...limits,
    ...listed,
    2 ** 31,
    -(2 ** 31) - 1,
    1e300,
    2n ** 53n + 1n,
    2n ** 63n,
  ];
}

/** A schema with its references and `allOf` in one; keywords that occur twice are the last ones, but properties are joined. */
function merged(document: JsonSchemaDocument, schema: JsonSchema, hops = 0): Keywords {
  const { $ref, allOf, ...rest } = document.restrictions(schema);
  if (hops > 16) return rest;
  const target = $ref === undefined ? undefined : document.resolve(String($ref));
  const parts = [
    ...(target === undefined ? [] : [target]),
    ...((allOf as readonly JsonSchema[] | undefined) ?? []),
  ];
  return merge([rest, ...parts.map((part) => merged(document, part, hops + 1))]);
}

function merge(parts: readonly Keywords[]): Keywords {
  const required = parts.flatMap((part) => (part.required as readonly string[] | undefined) ?? []);
  return {
    ...Object.assign({}, ...parts),
    ...(parts.some((part) => part.properties !== undefined)
      ? { properties: Object.assign({}, ...parts.map((part) => part.properties ?? {})) as unknown }
      : {}),
    ...(required.length > 0 ? { required } : {}),
  };
}

function hasKeywordsOfTypes(keywords: Keywords): boolean {
  return impliedTypes(keywords).length > 0;
}

/** The types whose keywords a schema without a type has. */
function impliedTypes(keywords: Keywords): readonly string[] {
  const has = (...names: readonly string[]) => names.some((name) => keywords[name] !== undefined);
  return [
    ...(has(
      "properties",
      "required",
      "additionalProperties",
      "patternProperties",
      "minProperties",
      "maxProperties",
    )
      ? ["object"]
      : []),
    ...(has("items", "prefixItems", "minItems", "maxItems", "uniqueItems") ? ["array"] : []),
    ...(has("minLength", "maxLength", "pattern", "format") ? ["string"] : []),
    ...(has("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf") ? ["number"] : []),
  ];
}

function withoutRepeats(values: Variations): Variations {
  const seen = new Set<string>();
  return values.filter((value) => {
    const text = JSON.stringify(value, (_, each: unknown) => (typeof each === "bigint" ? `${each}n` : each));
    return seen.size !== seen.add(text).size;
  });
}
