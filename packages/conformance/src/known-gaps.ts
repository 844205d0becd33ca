import assert from "node:assert/strict";
import type { Case } from "./case.js";

/** A case that a subject is known to fail, with the reason. */
export interface KnownGap {
  /** The exact name of the case. */
  readonly name: string;
  /** The reason for which the case fails. */
  readonly reason: string;
}

/**
 * Inverts the listed cases: they must fail, and a case that passes fails the run until it is removed from the list. The goal is an empty list.
 * Throws a `TypeError` if a gap is not the name of a case, is listed twice or has no reason.
 */
export function withKnownGaps(cases: readonly Case[], gaps: readonly KnownGap[]): Case[] {
  const reasons = new Map<string, string>();
  for (const { name, reason } of gaps) {
    if (!cases.some((one) => one.name === name))
      throw new TypeError(`The known gap "${name}" names no case of this suite.`);
    if (reasons.has(name)) throw new TypeError(`The known gap "${name}" is listed twice.`);
    if (reason.trim() === "") throw new TypeError(`The known gap "${name}" has no reason.`);
    reasons.set(name, reason);
  }
  return cases.map((one) => {
    const reason = reasons.get(one.name);
    return reason === undefined ? one : inverted(one, reason);
  });
}

function inverted(one: Case, reason: string): Case {
  return {
    ...one,
    async run() {
      const isPassing = await one.run().then(
        () => true,
        () => false,
      );
      assert.ok(!isPassing, `The known gap "${one.name}" (${reason}) now passes: remove it from the list.`);
    },
  };
}
