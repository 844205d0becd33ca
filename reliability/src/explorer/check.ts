import { until as untilTrue } from "waybill-harness/waiting.js";
import type { Stage } from "./browser.js";

/** One check of the page. */
export interface Check {
  readonly title: string;
  run(stage: Stage): Promise<void>;
}

/** Throws when it does not hold. */
export function expectThat(holds: boolean, text: string): asserts holds {
  if (!holds) throw new Error(text);
}

/** Throws when two values are not the same. */
export function expectSame(actual: unknown, expected: unknown, what: string): void {
  const [one, two] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (one !== two) throw new Error(`${what}: ${one?.slice(0, 500)}, not ${two?.slice(0, 500)}`);
}

/** Resolves as soon as the condition holds. Throws after a timeout. */
export async function until(holds: () => Promise<boolean>, text: string, withinMs = 20_000): Promise<void> {
  if (!(await untilTrue(holds, withinMs, 25))) throw new Error(`${text}: not within ${withinMs} ms.`);
}
