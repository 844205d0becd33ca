/** Mutations that no test can notice, without their lines, and why. The goal is an empty list. */
export const knownSurvivors: ReadonlyMap<string, string> = new Map([
  [
    `packages/core/src/message-types/cast.ts: return \`The \${from < to ? "upcaster" : "downcaster"} from version \${from} to \${to}\`;  →  return \`The \${from <= to ? "upcaster" : "downcaster"} from version \${from} to \${to}\`;`,
    "no converter leads to its own version",
  ],
  [
    'packages/core/src/message-types/message-type-registry.ts: return newer === "abandon" && version > type.version  →  return newer === "abandon" && version >= type.version',
    "the current version is known, so it never comes here",
  ],
  [
    "packages/core/src/message-types/version-graph.ts: for (let version = versions[0] ?? graph.current; version < graph.current; version++) {  →  for (let version = versions[0] ?? graph.current; version <= graph.current; version++) {",
    "the current version is among the versions",
  ],
  [
    "packages/core/src/receive/circuit-breaker/circuit-breaker.ts: openings = 0;  →  openings = 1;",
    "numbers of openings are only compared with each other",
  ],
  [
    'packages/core/src/receive/circuit-breaker/circuit-breaker.ts: if (options.decodedBefore === "all") return;  →  if (false) return;',
    "otherwise a format without a name is added, which is added at its first failure as well",
  ],
  [
    "packages/core/src/receive/circuit-breaker/circuit-breaker.ts: if (circuit?.format !== format || circuit.messageType !== messageType) {  →  if (true) {",
    "the circuit of the message before is the one that is found, only faster",
  ],
  [
    "packages/core/src/receive/circuit-breaker/circuit-breaker.ts: this.#last = circuit;  →  ;",
    "the circuit of the message before is the one that is found, only faster",
  ],
  [
    "packages/core/src/receive/circuit-breaker/circuit.ts: hasDecoded = false;  →  hasDecoded = true;",
    "a circuit of which nothing decoded is open from its creation, and closing it sets this",
  ],
  [
    "packages/core/src/receive/circuit-breaker/circuit.ts: #logProbability = 0;  →  #logProbability = 1;",
    "the first failure begins a run, and sets this",
  ],
  [
    "packages/core/src/receive/circuit-breaker/circuit.ts: return this.failures >= rule.minFailures && this.#logProbability <= minLogProbability;  →  return this.failures >= rule.minFailures && this.#logProbability < minLogProbability;",
    "sums of logarithms do not hit the limit exactly, which has a margin for that reason",
  ],
  [
    "packages/core/src/receive/circuit-breaker/circuit.ts: this.#isBroken ||= this.#failures >= rule.minFailures && this.#logProbability <= minLogProbability;  →  this.#isBroken ||= this.#failures >= rule.minFailures && this.#logProbability < minLogProbability;",
    "sums of logarithms do not hit the limit exactly, which has a margin for that reason",
  ],
  [
    "packages/core/src/receive/circuit-breaker/waiting-messages.ts: this.#bytes += body instanceof Uint8Array ? body.length : (size ?? 0);  →  this.#bytes += body instanceof Uint8Array ? body.length : (size ?? 1);",
    "a thousand messages, which is as far as a look goes, make no difference to a limit of 16 MiB",
  ],
  [
    "packages/core/src/receive/holding/held-messages.ts: #isReadingWanted = false;  →  #isReadingWanted = true;",
    "it is set before it is looked at",
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
  [
    "packages/migration/src/repair/receipt-log.ts: await file.datasync();  →  ;",
    "whether bytes have reached the disk shows only after a power failure",
  ],
  [
    "packages/migration/src/repair/receipt-log.ts: const tailBytes = 65_536;  →  const tailBytes = 131072;",
    "how much is read at a time changes only how often is read",
  ],
  [
    "packages/migration/src/write-plan/stable-share.ts: if (code > 0x7f) return encoder.encode(text).reduce(fnv, start);  →  if (true) return encoder.encode(text).reduce(fnv, start);",
    "ASCII has the same hash by its characters as by its bytes, which only take longer",
  ],
  [
    "packages/migration/src/write-plan/stable-share.ts: if (code > 0x7f) return encoder.encode(text).reduce(fnv, start);  →  if (code >= 0x7f) return encoder.encode(text).reduce(fnv, start);",
    "ASCII has the same hash by its characters as by its bytes, which only take longer",
  ],
  [
    "packages/migration/src/comparison/is-same-value.ts: if (prototype === Object.prototype || prototype === null) return true;  →  if (false) return true;",
    "the checks below say the same of a plain object, and take longer",
  ],
  [
    "packages/migration/src/comparison/is-same-value.ts: if (prototype === Object.prototype || prototype === null) return true;  →  if (prototype === Object.prototype && prototype === null) return true;",
    "the checks below say the same of a plain object, and take longer",
  ],
  [
    "packages/migration/src/contract/structure/json-schema-document.ts: compiledSchemas.set(schema, known);  →  ;",
    "a schema that is compiled again checks the same, and takes longer",
  ],
  [
    "packages/migration/src/contract/structure/json-schema-document.ts: if (this.#compiled.has(text)) return this.#compiled.get(text);  →  if (false) return this.#compiled.get(text);",
    "a schema that is compiled again checks the same, and takes longer",
  ],
  [
    "packages/migration/src/contract/structure/json-schema-document.ts: this.#compiled.set(text, compiled);  →  ;",
    "a schema that is compiled again checks the same, and takes longer",
  ],
  [
    "packages/migration/src/contract/check/candidates.ts: this.#known.set(key, found);  →  ;",
    "the values of a form are the same each time they are made, which takes longer",
  ],
  [
    "packages/migration/src/contract/check/check-contract.ts: this.#trials.set(key, known);  →  ;",
    "a trial of the same sides ends alike, and takes longer",
  ],
  [
    "packages/migration/src/contract/check/schema-sharing.ts: known.set(key, first);  →  ;",
    "schemas that are not shared are compared alike, which takes longer",
  ],
  [
    "packages/migration/src/work/lease.ts: Math.max(leftMs / 2, minRenewalMs),  →  Math.max(leftMs / 3, minRenewalMs),",
    "a lock that is renewed earlier is held as well",
  ],
  [
    "packages/migration/src/contract/check/candidates.ts: const textsOfPattern = 60;  →  const textsOfPattern = 61;",
    "the shortest and longest of one text more are tried, which are texts of the same pattern",
  ],
  [
    "packages/core/src/receive/holding/held-for-calls.ts: #nextProbeAtMs = 0;  →  #nextProbeAtMs = 1;",
    "no process asks within the first millisecond of its clock",
  ],
  [
    'packages/migration/src/contract/values/json-values.ts: typeof length === "number" ? [length - 1, length, length + 1] : [],  →  ([length - 1, length, length + 1]),',
    "lengths that are no numbers are left out below",
  ],
  [
    'packages/migration/src/contract/check/try-form.ts: if (outcome.status === "unavailable")  →  if (false)',
    "the attempt that could not reach something says the same",
  ],
  [
    'packages/migration/src/contract/values/json-values.ts: ...(typeof wanted.format === "string" ? [formats[wanted.format] ?? []].flat() : []),  →  ...(([formats[wanted.format] ?? []].flat())),',
    "there are no values of the format undefined",
  ],
]);
