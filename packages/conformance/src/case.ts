/**
 * One case of a conformance suite. `run` resolves if the subject passes and rejects with an `AssertionError` that says what it did instead.
 * Registration takes one line in any runner: `for (const { name, run } of cases) it(name, run)`.
 */
export interface Case {
  /** A statement of what holds, unique among the cases of one subject. */
  readonly name: string;
  /** The capabilities that the case needs; empty if it applies to every subject. */
  readonly needs?: readonly string[];
  /** Runs the case once. */
  run(): Promise<void>;
}
