/** What waits on a broker, and whether a format or a version can be retired. */

export type { Census, CensusGroup, CensusMessageType, CensusPlace, HiddenMessages } from "./census/census.js";
export { type CensusOptions, takeCensus } from "./census/take-census.js";
export { type QueueReadStoreOptions, queueReadStore } from "./reads/queue-read-store.js";
export type { FormatReads, ReadRecord, ReadStore } from "./reads/read-record.js";
export { type ReadRecording, type RecordReadsOptions, recordReads } from "./reads/record-reads.js";
export type { RetirementEvidence, RetirementTarget } from "./retirement/retirement-evidence.js";
export type {
  RetirementObstacle,
  RetirementReason,
  RetirementStatement,
} from "./retirement/retirement-reason.js";
export type { RetirementFindings, RetirementVerdict } from "./retirement/retirement-verdict.js";
export { retirementVerdict } from "./retirement/retirement-verdict.js";
