import type { DeadLetterAttempt } from "@waybill/core/pipeline";
import type { Terminal } from "./terminal.js";

/** The serializers that tried to read a body and why each failed; prints nothing if the first one succeeded. */
export function attemptsTable(terminal: Terminal, attempts: readonly DeadLetterAttempt[]): void {
  if (attempts.length === 0) return;
  terminal.line();
  terminal.table(
    ["TRIED", "STAGE", "REASON", "DETAIL"],
    attempts.map(({ serializer, stage, reason, detail }) => [serializer, stage, reason, detail]),
  );
}
