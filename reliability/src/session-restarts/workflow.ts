/** What a session of the workflow keeps: enough to know every message it has counted, and their order. */
export interface Tally {
  /** The number of the last message counted; messages come again after a crash, and must not count twice. */
  readonly last: number;
  readonly sum: number;
  /** Depends on every number and on their order. */
  readonly digest: number;
}

/** One message of a session, numbered from 1. */
export interface Step {
  readonly n: number;
  readonly amount: number;
}

export const sessionIds = Array.from({ length: 20 }, (_, i) => `session-${i}`);

/** How many messages each session gets in each generation. */
const stepsPerGeneration = 20;

/** The steps of one generation for one session. */
export function stepsOf(sessionId: string, generation: number): Step[] {
  return Array.from({ length: stepsPerGeneration }, (_, i) => {
    const n = generation * stepsPerGeneration + i + 1;
    return { n, amount: ((n * 7919 + sessionIds.indexOf(sessionId) * 104_729) % 1000) + 1 };
  });
}

export const emptyTally: Tally = { last: 0, sum: 0, digest: 0 };

/** The tally with one more step. */
export function count(tally: Tally, { n, amount }: Step): Tally {
  return { last: n, sum: tally.sum + amount, digest: (Math.imul(tally.digest, 31) + n * amount) >>> 0 };
}
