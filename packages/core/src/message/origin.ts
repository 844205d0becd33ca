/** What a body probably is, and what reads it: a hint for a person, never a proof, which only a serializer can give. */
export interface Origin {
  /** As it follows "looks like": `"a legacy .NET string holding JSON"`. Contains no payload. */
  readonly name: string;
  /** What to add to the client, as code: `"dotnetBinary()"`. Undefined if nothing helps there. */
  readonly add: string | undefined;
  /** What the sender should do, as it follows "let the sender": `"set the content type application/cbor"`. Undefined if nothing. */
  readonly sender: string | undefined;
  /** The npm package that has it; undefined if it is not in a package of its own. */
  readonly package: string | undefined;
  /** The name of the serializer that reads it, such as `"json"`; undefined if it needs something else than a serializer. */
  readonly serializer: string | undefined;
}
