import { isDeepStrictEqual } from "node:util";
import type { JsonSchema } from "@waybill/serializer-json";
import { canonicalText } from "../../capability/canonical-text.js";
import { areDisjoint } from "./json-schema-disjoint.js";
import { JsonSchemaDocument, type Keywords } from "./json-schema-document.js";
import {
  contextualKeywords,
  listedValues,
  mayRefuseMore,
  opaqueKeywords,
  unknownKeyword,
} from "./json-schema-keywords.js";
import { compareItems, compareProperties, type MemberComparison } from "./json-schema-members.js";
import { compareScalars } from "./json-schema-scalars.js";
import { typesOf } from "./json-schema-types.js";
import { asNotDecided, breaks, notDecided, type Obstacle } from "./obstacle.js";

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

class Inclusion implements MemberComparison {
  readonly #writer: JsonSchemaDocument;
  readonly #reader: JsonSchemaDocument;
  readonly writesOnlyDeclared: boolean;
  /** Pairs that are being compared, with the place where, or were: recursive schemas hold if all else does. */
  readonly #compared: Map<string, string | undefined>;

  constructor(
    writer: JsonSchemaDocument,
    reader: JsonSchemaDocument,
    { writesOnlyDeclared }: JsonWriting,
    compared: Iterable<readonly [string, string | undefined]> = [],
  ) {
    this.#writer = writer;
    this.#reader = reader;
    this.writesOnlyDeclared = writesOnlyDeclared;
    this.#compared = new Map(compared);
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
    if (this.#compared.has(key))
      return this.#compared.get(key) === path
        ? [notDecided(path, "a reference leads back to itself without a value in between")]
        : [];
    this.#compared.set(key, path);
    const found = this.#compare(schemas, reader, path, depth);
    this.#compared.set(key, undefined);
    return found;
  }

  #compare(
    schemas: readonly JsonSchema[],
    reader: JsonSchema,
    path: string,
    depth: number,
  ): readonly Obstacle[] {
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
    if (types.size < 2 || types.size > 6 || listedValues(written) !== undefined) return undefined;
    return [...types].map((type) => [{ type }, ...written.map(({ type: _, ...rest }) => rest)]);
  }

  #compareAll(
    written: readonly Keywords[],
    schema: JsonSchema,
    path: string,
    depth: number,
  ): readonly Obstacle[] {
    const types = typesOf(written);
    const isNeverWritten = types.size === 0 || written.some((each) => isDeepStrictEqual(each.not, {}));
    if (isNeverWritten) return [];
    const reader = this.#reader.restrictions(schema);
    const values = listedValues(written);
    if (values !== undefined) return this.#compareValues(values, written, schema, path);
    const unknown = unknownKeyword(reader);
    if (unknown !== undefined)
      return [notDecided(path, `the keyword "${unknown}" of the reader's schema is not understood`)];
    const found = [
      ...this.#compareCombined(written, reader, path, depth),
      ...this.#compareOpaque(written, reader, path),
      ...this.#compareTypes(written, reader, path),
      ...compareScalars(written, reader, path),
      ...(types.has("array") ? compareItems(this, written, reader, path, depth + 1) : []),
      ...(types.has("object") ? compareProperties(this, written, reader, path, depth + 1) : []),
    ];
    // What the reader refuses may be what the writer's own schema refuses.
    return mayRefuseMore(written) ? asNotDecided(found) : found;
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
  #holds(written: readonly Keywords[], schema: JsonSchema, path: string): boolean {
    const inner = new Inclusion(this.#writer, this.#reader, this, this.#compared);
    return inner.compare(written, schema, path, 1).length === 0;
  }

  #someOf(written: readonly Keywords[], members: readonly JsonSchema[], path: string): readonly Obstacle[] {
    if (members.some((member) => this.#holds(written, member, path))) return [];
    return this.#refusedByAll(written, members, path, "anyOf");
  }

  #oneOf(written: readonly Keywords[], members: readonly JsonSchema[], path: string): readonly Obstacle[] {
    const at = members.findIndex((member) => this.#holds(written, member, path));
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
      ...opaqueKeywords.filter(([first = ""]) => isUsed(first)).filter((keywords) => !isWritten(keywords)),
      ...contextualKeywords.filter(isUsed).map((keyword) => [keyword]),
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
}
