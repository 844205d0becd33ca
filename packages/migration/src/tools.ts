/** For authors of beacon stores, and of tools that show and keep what a migration finds. */

export { formatCensus, parseCensus } from "./census/census-text.js";
export type { PeekPagesOptions } from "./census/peek-pages.js";
export { peekPages } from "./census/peek-pages.js";
export type { CensusProgress } from "./census/take-census.js";
export {
  originalMessageIdProperty,
  resubmitCountProperty,
  resubmitToProperty,
} from "./repair/resubmission.js";
export { compareValues } from "./shadow-check/compare-values.js";
export { shareOf, stableKey } from "./write-plan/stable-share.js";
