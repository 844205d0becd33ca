import { describe } from "vitest";
import { formatTests } from "./formats.js";
import { manyTests } from "./many.js";
import { sessionTests } from "./sessions.js";
import { simpleTests } from "./simple.js";
import type { OpenWorld } from "./trial.js";
import { unmatchedTests } from "./unmatched.js";

/** What request and reply promise, on any seat. */
export function requestReplyTests(seat: string, open: OpenWorld): void {
  describe(`request and reply ${seat}`, () => {
    simpleTests(open);
    manyTests(open);
    sessionTests(open);
    formatTests(open);
    unmatchedTests(open);
  });
}
