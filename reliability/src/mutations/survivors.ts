/** Mutations that no test can notice, without their lines, and why. The goal is an empty list. */
export const knownSurvivors: ReadonlyMap<string, string> = new Map([
  [
    "packages/core/src/receive/circuit-breaker/circuit.ts: opening = 0;  →  opening = 1;",
    "the number of an opening is only compared with that of the same circuit at another time; it is set when it opens",
  ],
  [
    "packages/migration/src/census/last-sequence-number.ts: (await receiver.peek({ maxMessages: 1, fromSequenceNumber, abortSignal }))[0]?.sequenceNumber;  →  (await receiver.peek({ maxMessages: 2, fromSequenceNumber, abortSignal }))[0]?.sequenceNumber;",
    "a second message is peeked, and not looked at",
  ],
  [
    'packages/migration/src/contract/structure/json-schema-document.ts: const text = schema === this.root ? "" : JSON.stringify(schema);  →  const text = (JSON.stringify(schema));',
    "the same checks are found by a longer text, which only takes longer",
  ],
  [
    "packages/migration/src/contract/values/json-values.ts: function merged(document: JsonSchemaDocument, schema: JsonSchema, hops = 0): Keywords {  →  function merged(document: JsonSchemaDocument, schema: JsonSchema, hops = 1): Keywords {",
    "the bound ends references in a circle, which have no values after 17 hops as after 18",
  ],
]);
