import { describe } from "vitest";
import { formatTests } from "./formats.js";
import type { OpenFixture } from "./harness.js";
import { manyTests } from "./many.js";
import { sessionTests } from "./sessions.js";
import { simpleTests } from "./simple.js";
import { unmatchedTests } from "./unmatched.js";

/** Tests of request and reply, for any environment. */
export function requestReplyTests(environment: string, open: OpenFixture): void {
  describe(`request and reply ${environment}`, () => {
    simpleTests(open);
    manyTests(open);
    sessionTests(open);
    formatTests(open);
    unmatchedTests(open);
  });
}
