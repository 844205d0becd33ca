/**
 * One clause of a conformance suite. `run` resolves when the subject obeys it and rejects with an `AssertionError` that says what it did instead.
 * Registration takes one line in any runner: `for (const { name, run } of cases) it(name, run)`.
 */
export interface Case {
  /** A statement of what holds, unique among the cases of one subject. */
  readonly name: string;
  /** The capabilities that the clause is about; empty when it binds every subject. */
  readonly needs?: readonly string[];
  run(): Promise<void>;
}
