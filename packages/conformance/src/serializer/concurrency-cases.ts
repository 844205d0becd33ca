import assert from "node:assert/strict";
import { WaybillError } from "@waybill/core";
import { required } from "@waybill/foundation";
import type { Case } from "../case.js";
import { outcomeOf } from "../outcome.js";
import { assertSameValue } from "../same-value.js";
import { messageSetting, readContext, readValue, serializerCase, write } from "./harness.js";
import type { SerializerSubject } from "./serializer-subject.js";
import { quickValues, type Written, writeValue } from "./written.js";

/** Concurrent calls on one instance do not interfere, and an aborted call rejects with `aborted` or not at all. */
export function concurrencyCases(subject: SerializerSubject): Case[] {
  const testCase = serializerCase(subject, "concurrency");
  return [
    testCase("concurrent calls do not interfere", async (serializer) => {
      const entries = quickValues(subject);
      const written: Written[] = [];
      for (const entry of entries) written.push(await writeValue(serializer, subject, entry));
      await Promise.all(
        entries.flatMap((entry, index) => [
          writeValue(serializer, subject, entry).then(({ bytes }) =>
            assertSameValue(bytes, required(written[index]).bytes, `what was written of ${entry.name}`),
          ),
          readValue(serializer, { ...required(written[index]), isDeclared: true }, entry.name).then((value) =>
            assertSameValue(value, required(written[index]).value, entry.name),
          ),
        ]),
      );
    }),
    testCase("an aborted call returns its result or rejects with aborted", async (serializer) => {
      const entry = required(quickValues(subject)[0]);
      const message = messageSetting(subject, entry.message);
      const written = await writeValue(serializer, subject, entry);
      const offer = { ...written, isDeclared: true, signal: AbortSignal.abort() };
      const during = new AbortController();
      const pending = outcomeOf(() => write(serializer, entry.value, message, { signal: during.signal }));
      during.abort();
      for (const outcome of [
        await pending,
        await outcomeOf(() => write(serializer, entry.value, message, { signal: AbortSignal.abort() })),
        await outcomeOf(async () => serializer.deserialize(written.bytes, readContext(serializer, offer))),
      ])
        assert.ok(
          outcome === undefined || (outcome instanceof WaybillError && outcome.code === "aborted"),
          `an aborted call ended with ${String(outcome)}`,
        );
    }),
  ];
}
