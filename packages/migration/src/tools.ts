/** For authors of beacon stores, and of tools that show and store the results of this package. */

export { liveBeacons } from "./capability/live-beacons.js";
export { formatCensus, parseCensus } from "./census/census-text.js";
export { type LastSequenceNumberOptions, lastSequenceNumber } from "./census/last-sequence-number.js";
export { mediaTypeOf } from "./census/media-type-of.js";
export { partitionEnd, partitionOf } from "./census/partitions.js";
export { type PeekPagesOptions, peekPages } from "./census/peek-pages.js";
export type { CensusProgress } from "./census/take-census.js";
export { compareValues } from "./comparison/compare-values.js";
export { captureGoldenMessage } from "./golden/capture-golden-messages.js";
export { formatGoldenMessage } from "./golden/golden-files.js";
export { parsePortableJson } from "./golden/portable-json.js";
export { fromPortableValue, type PortableValue, toPortableValue } from "./golden/portable-value.js";
export {
  type RehearseRemovalOptions,
  type RemovalRehearsal,
  rehearseRemoval,
} from "./removal/rehearse-removal.js";
export type { RemovalOptions, RemovalResult } from "./removal/removal-options.js";
export { removeMessages } from "./removal/remove-messages.js";
export { describePlan, targetText } from "./repair/describe-plan.js";
export { detectsDuplicates } from "./repair/detects-duplicates.js";
export type { EndReceipt, PlanReceipt, Receipt, ReceiptEntry } from "./repair/receipt-log.js";
export type { RehearsedRepair } from "./repair/rehearse-repair.js";
export type { LockedDeadLetters } from "./repair/repair-options.js";
export { planOf } from "./repair/repair-plan.js";
export { selectDeadLetters } from "./repair/select-dead-letters.js";
