import type { Case } from "../case.js";
import { concurrencyCases } from "./concurrency-cases.js";
import { contractCases } from "./contract-cases.js";
import { depthCases } from "./depth-cases.js";
import { hostileCases } from "./hostile-cases.js";
import { itemCases } from "./item-cases.js";
import { ownershipCases } from "./ownership-cases.js";
import { recognitionCases } from "./recognition-cases.js";
import { roundTripCases } from "./round-trip-cases.js";
import { secrecyCases } from "./secrecy-cases.js";
import type { SerializerSubject } from "./serializer-subject.js";
import { strictnessCases } from "./strictness-cases.js";

/**
 * The conformance suite for serializers, as cases for any test runner. `docs/writing-a-serializer.md` describes the requirements. The hostile
 * cases can hang or crash the process of an unbounded serializer, so give the runner a time limit.
 */
export function serializerCases(subject: SerializerSubject): Case[] {
  return [
    ...contractCases(subject),
    ...roundTripCases(subject),
    ...ownershipCases(subject),
    ...strictnessCases(subject),
    ...recognitionCases(subject),
    ...depthCases(subject),
    ...itemCases(subject),
    ...secrecyCases(subject),
    ...concurrencyCases(subject),
    ...hostileCases(subject),
  ];
}
