import assert from "node:assert/strict";
import type { Case } from "../case.js";
import {
  assertWriteRefusal,
  messageSetting,
  readRefused,
  readValue,
  serializerCase,
  suiteMaxDepth,
  write,
} from "./harness.js";
import type { SerializerSubject } from "./serializer-subject.js";
import { writableValues } from "./written.js";

const limits = [1, 2, 7, 32, suiteMaxDepth];

/** The depth limit is exact when reading and writing. A subject whose schema fixes the depth must fit every reasonable limit. */
export function depthCases(subject: SerializerSubject): Case[] {
  const testCase = serializerCase(subject, "depth");
  const { nesting } = subject;
  if (nesting === undefined)
    return [
      testCase(
        "every value is within a depth limit of 32, since the schema fixes the depth",
        async (serializer) => {
          for (const entry of writableValues(subject)) {
            const message = messageSetting(subject, entry.message);
            const { bytes, contentType } = await write(serializer, entry.value, message, { maxDepth: 32 });
            const offer = { bytes, contentType, isDeclared: true, message, maxDepth: 32 };
            await readValue(serializer, offer, `${entry.name} under a limit of 32`);
          }
        },
      ),
    ];
  return [
    ...limits.flatMap((maxDepth) => [
      testCase(
        `reads ${maxDepth} levels and refuses ${maxDepth + 1} with a limit of ${maxDepth}`,
        async (serializer) => {
          const offer = { isDeclared: true, maxDepth, message: subject.message };
          await readValue(serializer, { ...offer, bytes: nesting.bytes(maxDepth) }, `${maxDepth} levels`);
          const error = await readRefused(
            serializer,
            { ...offer, bytes: nesting.bytes(maxDepth + 1) },
            `${maxDepth + 1} levels`,
          );
          assert.equal(error.reason, "depth-exceeded");
        },
      ),
      testCase(
        `writes ${maxDepth} levels and refuses ${maxDepth + 1} with a limit of ${maxDepth}`,
        async (serializer) => {
          await write(serializer, nesting.value(maxDepth), subject.message, { maxDepth });
          await write(serializer, nesting.value(maxDepth + 1), subject.message, { maxDepth }).then(
            () => assert.fail(`${maxDepth + 1} levels were written with a limit of ${maxDepth}`),
            (error: unknown) => assertWriteRefusal(error, `${maxDepth + 1} levels`),
          );
        },
      ),
    ]),
    testCase("100,000 levels in its format are refused as too deep", async (serializer) => {
      const offer = { bytes: nesting.bytes(100_000), isDeclared: true, message: subject.message };
      const error = await readRefused(serializer, offer, "a body of 100,000 levels");
      assert.equal(error.reason, "depth-exceeded");
    }),
  ];
}
