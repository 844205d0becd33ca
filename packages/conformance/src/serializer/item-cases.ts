import assert from "node:assert/strict";
import type { Case } from "../case.js";
import { assertWriteRefusal, readRefused, readValue, serializerCase, write } from "./harness.js";
import type { SerializerSubject } from "./serializer-subject.js";

const counts = [1, 7, 1_000, 100_000];

/** The items limit is exact when reading and writing, and checked before values are created. */
export function itemCases(subject: SerializerSubject): Case[] {
  const testCase = serializerCase(subject, "items");
  const { items } = subject;
  if (items === undefined) return [];
  return counts.flatMap((count): Case[] => [
    testCase(
      `reads ${count} items with a limit of ${count}, and refuses them with a limit of one less`,
      async (serializer) => {
        const { bytes, contentType } = await write(serializer, items(count), subject.message);
        const offer = { bytes, contentType, isDeclared: true, message: subject.message };
        await readValue(serializer, { ...offer, maxItems: count }, `${count} items`);
        const error = await readRefused(serializer, { ...offer, maxItems: count - 1 }, `${count} items`);
        assert.equal(error.reason, "items-exceeded");
      },
    ),
    testCase(
      `writes ${count} items with a limit of ${count}, and refuses them with a limit of one less`,
      async (serializer) => {
        await write(serializer, items(count), subject.message, { maxItems: count });
        await write(serializer, items(count), subject.message, { maxItems: count - 1 }).then(
          () => assert.fail(`${count} items were written with a limit of ${count - 1}`),
          (error: unknown) => assertWriteRefusal(error, `${count} items`),
        );
      },
    ),
  ]);
}
