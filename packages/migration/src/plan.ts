/** Writing a new format step by step: plans, what readers can read, shadow checks and verification. */

export type { AnnouncedReader, AnnounceReaderOptions } from "./capability/announce-reader.js";
export { announceReader } from "./capability/announce-reader.js";
export type { BeaconStore, CapabilityBeacon } from "./capability/beacon-store.js";
export { type QueueBeaconStoreOptions, queueBeaconStore } from "./capability/queue-beacon-store.js";
export type { ReadableType, ReadableVersion, ReaderCapability } from "./capability/reader-capability.js";
export type { DifferenceKind } from "./comparison/compare-values.js";
export type { ShadowCheckOptions, ShadowFinding, ShadowReport } from "./shadow-check/shadow-check.js";
export { ShadowCheck } from "./shadow-check/shadow-check.js";
export type {
  Ambiguity,
  Reading,
  VerificationOptions,
  VerificationReport,
} from "./verification/verification.js";
export { Verification } from "./verification/verification.js";
export type { ContentTypePlanOptions, ContentTypeTarget } from "./write-plan/content-type-plan.js";
export { ContentTypePlan } from "./write-plan/content-type-plan.js";
export {
  type BeaconGuardOptions,
  beaconGuard,
  type ExpectedReader,
  type ReaderGuard,
} from "./write-plan/reader-guard.js";
export type { SetPercentOptions, WritePlanPhase } from "./write-plan/stepped-plan.js";
export { withWritePlans } from "./write-plan/with-write-plans.js";
export { type PlannedTarget, WritePlan, type WritePlanOptions } from "./write-plan/write-plan.js";
