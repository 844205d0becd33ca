/** A parsed content type. */
export interface MediaType {
  /** Type and subtype in lower case, without suffix id and parameters: `application/json`, `avro/binary`. */
  readonly essence: string;
  /** The structured suffix with its plus sign, such as `+json`, or undefined. Source: RFC 6839. */
  readonly suffix: string | undefined;
  /** The schema id of the `avro/binary+<schema id>` convention of Azure Schema Registry, in its own letter case. */
  readonly schemaId: string | undefined;
  /** Parameters by lower-case name; the first of duplicates counts. */
  readonly parameters: ReadonlyMap<string, string>;
}
