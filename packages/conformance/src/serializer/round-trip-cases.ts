import assert from "node:assert/strict";
import type { Serializer } from "@waybill/core";
import type { Case } from "../case.js";
import { assertSameValue } from "../same-value.js";
import { assertWriteRefusal, messageSetting, readValue, serializerCase, write } from "./harness.js";
import type { SerializerSubject, SerializerValue } from "./serializer-subject.js";
import { quickValues, writeValue } from "./written.js";

/** Every value is read back as expected or is refused, and the same value is always written as the same bytes. */
export function roundTripCases(subject: SerializerSubject): Case[] {
  const testCase = serializerCase(subject, "round trip");
  return [
    ...subject.values.map((entry) => {
      const { name, isRefused, becomes } = entry;
      return isRefused === true
        ? testCase(`${name} is refused when written`, (serializer) => refused(serializer, subject, entry))
        : testCase(
            `${name} is read back ${becomes === undefined ? "unchanged" : "as expected"}`,
            (serializer) => roundTrip(serializer, subject, entry),
          );
    }),
    ...(subject.bodies ?? []).map((body) =>
      testCase(`reads ${body.name}`, async (serializer) => {
        const value = await readValue(
          serializer,
          { bytes: body.bytes, isDeclared: true, message: messageSetting(subject, body.message) },
          body.name,
        );
        assertSameValue(value, body.value, body.name);
      }),
    ),
    {
      name: "round trip: writes the same bytes every time, with every instance",
      async run() {
        const first = await subject.create();
        const second = await subject.create();
        for (const entry of quickValues(subject)) {
          const { bytes } = await writeValue(first, subject, entry);
          assertSameValue((await writeValue(first, subject, entry)).bytes, bytes, entry.name);
          assertSameValue((await writeValue(second, subject, entry)).bytes, bytes, entry.name);
        }
      },
    },
    testCase("continues to work after a refusal", async (serializer) => {
      for (const entry of subject.values.filter(({ isLarge }) => isLarge !== true)) {
        await (entry.isRefused === true ? refused : roundTrip)(serializer, subject, entry);
      }
    }),
  ];
}

async function roundTrip(serializer: Serializer, subject: SerializerSubject, entry: SerializerValue) {
  const written = await writeValue(serializer, subject, entry);
  const value = await readValue(serializer, { ...written, isDeclared: true }, entry.name);
  assertSameValue(value, written.value, entry.name);
}

async function refused(serializer: Serializer, subject: SerializerSubject, entry: SerializerValue) {
  await write(serializer, entry.value, messageSetting(subject, entry.message)).then(
    () => assert.fail(`${entry.name} was written`),
    (error: unknown) => assertWriteRefusal(error, entry.name),
  );
}
