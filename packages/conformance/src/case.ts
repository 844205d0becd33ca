/**
 * One case of a conformance suite. `run` resolves if the subject passes and rejects with an `AssertionError` with what it did instead.
 * Registration takes one line in any runner: `for (const { name, run } of cases) it(name, run)`.
 */
export interface Case {
  /** What the case requires, unique among the cases of one subject. */
  readonly name: string;
  /** The capabilities that the case needs; empty if it applies to every subject. */
  readonly needs?: readonly string[];
  /** Runs the case once. */
  run(): Promise<void>;
}
