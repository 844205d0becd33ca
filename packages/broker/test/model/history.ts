import { isDeepStrictEqual } from "node:util";
import type { Command, Fixture } from "./command.js";
import { EngineEnvironment, type OpenStorage } from "./engine-environment.js";
import { ModelEnvironment } from "./model-environment.js";

/** Where a history runs: on the model or on the engine. Their observations are compared as plain data. */
export interface Environment {
  /** Runs one command and returns everything that its caller can observe. */
  play(command: Command): unknown;
  /** Returns everything else that can be observed. */
  observe(): unknown;
}

/** The first point at which engine and model differ. */
export class Disagreement extends Error {
  constructor(
    fixture: Fixture,
    commands: readonly Command[],
    at: number,
    expected: unknown,
    actual: unknown,
  ) {
    const lines = commands.slice(0, at + 1).map((command) => `  ${print(command)},`);
    const [path, wanted, found] = firstDifference(expected, actual);
    super(
      `engine and model differ after command ${at}\nworld: ${print(fixture)}\nhistory: [\n${lines.join("\n")}\n]\n` +
        `at ${path}\nmodel:  ${print(wanted)}\nengine: ${print(found)}`,
    );
  }
}

/**
 * Runs a history in both environments and throws a {@link Disagreement} at the first difference. Resolves with the kinds of events
 * of the engine; dead-lettering with its reason.
 */
export async function playHistory(
  fixture: Fixture,
  commands: readonly Command[],
  openStorage?: OpenStorage,
): Promise<ReadonlySet<string>> {
  const model = new ModelEnvironment(fixture);
  await using engine = await EngineEnvironment.open(fixture, openStorage);
  for (const [at, command] of commands.entries()) {
    const expected = { outcome: model.play(command), state: model.observe() };
    const actual = { outcome: await engine.play(command), state: await engine.observe() };
    if (!isDeepStrictEqual(actual, expected)) throw new Disagreement(fixture, commands, at, expected, actual);
  }
  return engine.events;
}

/** The innermost path at which two values differ. */
function firstDifference(
  expected: unknown,
  actual: unknown,
  path = "$",
): readonly [path: string, expected: unknown, actual: unknown] {
  const isSameShape = Array.isArray(expected)
    ? Array.isArray(actual) && expected.length === actual.length
    : isRecord(expected) && isRecord(actual);
  if (!isSameShape) return [path, expected, actual];
  const left = expected as Record<string, unknown>;
  const right = actual as Record<string, unknown>;
  const key = Object.keys({ ...left, ...right }).find((each) => !isDeepStrictEqual(left[each], right[each]));
  return key === undefined
    ? [path, expected, actual]
    : firstDifference(left[key], right[key], `${path}.${key}`);
}

function isRecord(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Writes data as the source text of a test. */
export function print(value: unknown): string {
  if (typeof value === "bigint") return `${value}n`;
  if (typeof value === "number" || value === undefined) return String(value);
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(print).join(", ")}]`;
  return `{ ${Object.entries(value)
    .map(([name, each]) => `${/^\w+$/.test(name) ? name : JSON.stringify(name)}: ${print(each)}`)
    .join(", ")} }`;
}
