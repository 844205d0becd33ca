import assert from "node:assert/strict";
import type { Case } from "../case.js";
import { type Bomb, countBombs, nestingBombs, pollutionBombs } from "../corpus/bombs.js";
import { foreignBodies } from "../corpus/foreign-bodies.js";
import { messageSetting, readQuickly, readRefused, serializerCase } from "./harness.js";
import type { SerializerSubject } from "./serializer-subject.js";

/** Maximum memory of one refusal, in bytes: much more than any body here needs, much less than any bomb declares. */
const allocationLimitBytes = 64 * 1024 * 1024;

/**
 * Bodies that attack the serializer. An unbounded serializer can crash the process or never return, which no test in the same process can catch:
 * then the case that ran last is the failed one.
 */
export function hostileCases(subject: SerializerSubject): Case[] {
  const testCase = serializerCase(subject, "hostile");
  return [
    ...bombCases(subject, "nesting of 100,000", nestingBombs),
    ...bombCases(subject, "a count bomb", countBombs),
    ...bombCases(subject, "prototype pollution", pollutionBombs),
    ...bombCases(
      subject,
      "another format with a wrong content type",
      foreignBodies.map(({ format, name, bytes }) => ({ name: `${format}, ${name}`, bytes })),
    ),
    ...(subject.hostile ?? []).map((body) =>
      testCase(`${body.name} is refused`, async (serializer) => {
        const offer = { bytes: body.bytes, isDeclared: true, message: messageSetting(subject, body.message) };
        const error = await withBoundedMemory(() => readRefused(serializer, offer, body.name));
        if (body.reason !== undefined) assert.equal(error.reason, body.reason, `the reason for ${body.name}`);
      }),
    ),
  ];
}

function bombCases(subject: SerializerSubject, kind: string, bombs: readonly Bomb[]): Case[] {
  const testCase = serializerCase(subject, "hostile");
  return bombs.map((bomb) =>
    testCase(`${kind} (${bomb.name}) ends in a value or a refusal`, async (serializer) => {
      for (const isDeclared of [true, false])
        await withBoundedMemory(() =>
          readQuickly(
            serializer,
            { bytes: bomb.bytes.slice(), isDeclared, message: subject.message },
            bomb.name,
          ),
        );
    }),
  );
}

/** Fails if running used more memory than the limit, counted before any collection. */
async function withBoundedMemory<T>(run: () => Promise<T>): Promise<T> {
  const before = allocatedBytes();
  const result = await run();
  const grown = allocatedBytes() - before;
  assert.ok(grown <= allocationLimitBytes, `${Math.round(grown / 1024 / 1024)} MiB were allocated`);
  return result;
}

function allocatedBytes(): number {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
