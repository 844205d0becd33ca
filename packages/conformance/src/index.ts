// For authors of serializers and transports
export type { Case } from "./case.js";
export type { ClaimCheckStoreSubject } from "./claim-check/claim-check-store-cases.js";
export { claimCheckStoreCases } from "./claim-check/claim-check-store-cases.js";
export { clientCases } from "./client/client-cases.js";
export type { ForeignFormat } from "./corpus/foreign-bodies.js";
export type { KnownGap } from "./known-gaps.js";
export { withKnownGaps } from "./known-gaps.js";
export { chainCases } from "./serializer/chain-cases.js";
export type { Expectation, SelfDescribingValueName } from "./serializer/self-describing-values.js";
export { selfDescribingValues } from "./serializer/self-describing-values.js";
export { serializerCases } from "./serializer/serializer-cases.js";
export type {
  ForeignlyWrittenBody,
  HostileBody,
  MessageSetting,
  Nesting,
  SerializerSubject,
  SerializerValue,
} from "./serializer/serializer-subject.js";
export type {
  EntitySetting,
  TransportFixture,
  TransportSubject,
} from "./transport/harness/transport-subject.js";
export { transportCases } from "./transport/transport-cases.js";
