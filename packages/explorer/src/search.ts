/** For tools that look for messages: what the search of the page is made of. */

export { type Matcher, matcher } from "./search/matches.js";
export type { SearchCriteria } from "./search/search-criteria.js";
export { timeLimitOf } from "./search/time-limit.js";
