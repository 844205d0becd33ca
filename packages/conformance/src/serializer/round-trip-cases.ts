import assert from "node:assert/strict";
import type { Serializer } from "@waybill/core";
import type { Case } from "../case.js";
import { assertSameValue } from "../same-value.js";
import { assertWriteRefusal, messageSetting, readValue, write } from "./harness.js";
import type { SerializerSubject, SerializerValue } from "./serializer-subject.js";
import { quickValues, writeValue } from "./written.js";

/** Every value is read back as expected or is refused, and the same value always gives the same bytes. */
export function roundTripCases(subject: SerializerSubject): Case[] {
  return [
    ...subject.values.map((entry) =>
      entry.isRefused === true ? refusalCase(subject, entry) : roundTripCase(subject, entry),
    ),
    ...(subject.bodies ?? []).map((body) => ({
      name: `round trip: reads ${body.name}`,
      async run() {
        const serializer = await subject.create();
        const value = await readValue(
          serializer,
          { bytes: body.bytes, isDeclared: true, message: messageSetting(subject, body.message) },
          body.name,
        );
        assertSameValue(value, body.value, body.name);
      },
    })),
    {
      name: "round trip: writes the same bytes every time, whichever instance writes",
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
    {
      name: "round trip: works on after a refusal",
      async run() {
        const serializer = await subject.create();
        for (const entry of subject.values.filter(({ isLarge }) => isLarge !== true)) {
          const message = messageSetting(subject, entry.message);
          if (entry.isRefused === true)
            await write(serializer, entry.value, message).catch((error: unknown) =>
              assertWriteRefusal(error, entry.name),
            );
          else await roundTrip(subject, entry, serializer);
        }
      },
    },
  ];
}

function roundTripCase(subject: SerializerSubject, entry: SerializerValue): Case {
  return {
    name: `round trip: ${entry.name} comes back ${entry.becomes === undefined ? "the same" : "as promised"}`,
    run: () => roundTrip(subject, entry),
  };
}

async function roundTrip(subject: SerializerSubject, entry: SerializerValue, own?: Serializer) {
  const serializer = own ?? (await subject.create());
  const written = await writeValue(serializer, subject, entry);
  const value = await readValue(serializer, { ...written, isDeclared: true }, entry.name);
  assertSameValue(value, written.value, entry.name);
}

function refusalCase(subject: SerializerSubject, entry: SerializerValue): Case {
  return {
    name: `round trip: ${entry.name} is refused when written`,
    async run() {
      const serializer = await subject.create();
      const message = messageSetting(subject, entry.message);
      await write(serializer, entry.value, message).then(
        () => assert.fail(`${entry.name} was written`),
        (error: unknown) => assertWriteRefusal(error, entry.name),
      );
    },
  };
}
