import { describeRuns } from "./short-runs.test-support.js";

describeRuns([
  ["body-growth", "reads no body in more than linear time", "The time grows with the bytes in all"],
]);
