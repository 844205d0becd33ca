// For applications

export type { Census, CensusGroup, CensusPlace, HiddenMessages } from "./census/census.js";
export type { CensusOptions, CensusProgress } from "./census/take-census.js";
export { takeCensus } from "./census/take-census.js";
export type {
  RetirementEvidence,
  RetirementObstacle,
  RetirementReason,
  RetirementTarget,
  RetirementVerdict,
} from "./retirement/retirement-verdict.js";
export { retirementVerdict } from "./retirement/retirement-verdict.js";
