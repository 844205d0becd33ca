import contentType from "fast-content-type-parse";

/** A parsed content type. */
export interface MediaType {
  /** Type and subtype in lower case, without schema id and parameters: `application/json`, `avro/binary`. */
  readonly essence: string;
  /** The structured suffix with its plus sign, such as `+json`, or undefined. Source: RFC 6839. */
  readonly suffix: string | undefined;
  /** The schema id of `avro/binary+<schema id>`, the convention of Azure Schema Registry, with its case unchanged. */
  readonly schemaId: string | undefined;
  /** Parameters by lower-case name; the first of duplicates wins. */
  readonly parameters: ReadonlyMap<string, string>;
}

/** Longer content types count as malformed, because each is parsed and cached; real ones are far shorter. */
const maxContentTypeLength = 1024;

const noParameters: ReadonlyMap<string, string> = new Map();

/** The form of schema ids of Azure Schema Registry. */
const registryId = /^[0-9a-f]{32}$/i;

/**
 * Parses a content type as a media type; undefined when it is malformed. Case and white space do not matter; parameters
 * may be quoted. Source: RFC 9110, 8.3.1.
 */
export function parseMediaType(text: string): MediaType | undefined {
  if (text.length > maxContentTypeLength) return undefined;
  const parsed = contentType.safeParse(text);
  if (parsed.type === "") return undefined;
  const parameters = toMap(parsed.parameters);
  const plus = parsed.type.lastIndexOf("+");
  if (plus < 0) return { essence: parsed.type, suffix: undefined, schemaId: undefined, parameters };
  const base = parsed.type.slice(0, plus);
  // The parser converts to lower case, but a registry's ids are case-sensitive: take the id from the original text.
  const id = text.trimStart().slice(plus + 1, parsed.type.length);
  if (base === "avro/binary" || registryId.test(id)) {
    return { essence: base, suffix: undefined, schemaId: id, parameters };
  }
  return { essence: parsed.type, suffix: parsed.type.slice(plus), schemaId: undefined, parameters };
}

function toMap(parameters: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  const entries = Object.entries(parameters);
  return entries.length === 0 ? noParameters : new Map(entries);
}
