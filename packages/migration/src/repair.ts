/** Dead-letter queues: what is in them, and sending it again. */

export type { DeadLetterKind } from "./repair/dead-letter-kind.js";
export type { DeadLetterQueue } from "./repair/dead-letter-queue.js";
export { unchangedResubmission } from "./repair/plan-resubmission.js";
export { openReceiptFile, type ReceiptLog } from "./repair/receipt-log.js";
export type { RehearseRepairOptions, RepairRehearsal } from "./repair/rehearse-repair.js";
export { rehearseRepair } from "./repair/rehearse-repair.js";
export { type ResendEditedOptions, repairDeadLetters, resendEdited } from "./repair/repair-dead-letters.js";
export { type InterruptedRepair, interruptedRepair } from "./repair/repair-history.js";
export type {
  RepairCandidate,
  RepairOptions,
  RepairResult,
  RepairSkip,
  RepairTarget,
} from "./repair/repair-options.js";
export type { RepairPlan } from "./repair/repair-plan.js";
export { resubmitFilter } from "./repair/resubmission.js";
export type { DeadLetterCriteria } from "./repair/select-dead-letters.js";
export type { DeadLetterGroup, DeadLetterSurvey, SurveyOptions } from "./repair/survey-dead-letters.js";
export { surveyDeadLetters } from "./repair/survey-dead-letters.js";
