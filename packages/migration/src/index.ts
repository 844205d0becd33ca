export type { Announcement, AnnounceOptions } from "./capability/announce-capability.js";
export { announceCapability } from "./capability/announce-capability.js";
export type { BeaconStore, CapabilityBeacon } from "./capability/beacon-store.js";
export { type QueueBeaconStoreOptions, queueBeaconStore } from "./capability/queue-beacon-store.js";
export type { ReadableType, ReadableVersion, ReaderCapability } from "./capability/reader-capability.js";
export { readerCapability } from "./capability/reader-capability.js";
export type { Census, CensusGroup, CensusMessageType, CensusPlace, HiddenMessages } from "./census/census.js";
export { type CensusOptions, takeCensus } from "./census/take-census.js";
export type { DifferenceKind } from "./comparison/compare-values.js";
export type {
  GoldenCapture,
  GoldenCaptureOptions,
  GoldenSkip,
} from "./golden/capture-golden-messages.js";
export { captureGoldenMessages } from "./golden/capture-golden-messages.js";
export type { GoldenCheck, GoldenCheckOptions, GoldenFailure } from "./golden/check-golden-messages.js";
export { assertGoldenMessages, checkGoldenMessages } from "./golden/check-golden-messages.js";
export { readGoldenMessages, writeGoldenMessages } from "./golden/golden-files.js";
export type { GoldenExpectation, GoldenMessage, GoldenParts } from "./golden/golden-message.js";
export { type LeafPlace, type Redactor, redactLeaf } from "./golden/redact-value.js";
export type { DeadLetterKind } from "./repair/dead-letter-kind.js";
export type { DeadLetterQueue } from "./repair/dead-letter-queue.js";
export { openReceiptFile, type Receipt, type ReceiptLog } from "./repair/receipt-log.js";
export type { RehearsedRepair, RehearseRepairOptions, RepairRehearsal } from "./repair/rehearse-repair.js";
export { rehearseRepair } from "./repair/rehearse-repair.js";
export { repairDeadLetters } from "./repair/repair-dead-letters.js";
export type {
  RepairCandidate,
  RepairOptions,
  RepairResult,
  RepairSkip,
  RepairTarget,
} from "./repair/repair-options.js";
export { resubmitFilter } from "./repair/resubmission.js";
export { type DeadLetterCriteria, selectDeadLetters } from "./repair/select-dead-letters.js";
export type { DeadLetterGroup, DeadLetterSurvey, SurveyOptions } from "./repair/survey-dead-letters.js";
export { surveyDeadLetters } from "./repair/survey-dead-letters.js";
export type {
  RetirementEvidence,
  RetirementObstacle,
  RetirementReason,
  RetirementTarget,
  RetirementVerdict,
} from "./retirement/retirement-verdict.js";
export { retirementVerdict } from "./retirement/retirement-verdict.js";
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
export { type BeaconGuardOptions, beaconGuard, type ReaderGuard } from "./write-plan/reader-guard.js";
export type { SetPercentOptions, WritePlanPhase } from "./write-plan/stepped-plan.js";
export { withWritePlans } from "./write-plan/with-write-plans.js";
export { type PlannedTarget, WritePlan, type WritePlanOptions } from "./write-plan/write-plan.js";
