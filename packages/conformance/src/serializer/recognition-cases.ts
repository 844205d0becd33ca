import assert from "node:assert/strict";
import type { Serializer } from "@waybill/core";
import { required } from "@waybill/foundation";
import type { Case } from "../case.js";
import { foreignBodies } from "../corpus/foreign-bodies.js";
import { assertSameValue } from "../same-value.js";
import {
  type Harness,
  messageSetting,
  read,
  readQuickly,
  readRefused,
  readValue,
  serializerCase,
} from "./harness.js";
import type { SerializerSubject } from "./serializer-subject.js";
import { quicklyWritten, type Written } from "./written.js";

/**
 * Bodies without a content type. A serializer with detection reads its own containers by their first byte and refuses bodies without evidence; one
 * without detection refuses all bodies.
 */
export function recognitionCases(subject: SerializerSubject): Case[] {
  const testCase = serializerCase(subject, "recognition");
  const emptyOutcome = subject.recognisesEmptyContainers === true ? "read" : "refused";
  return [
    testCase("every body that can be recognised starts with a leading byte", async (serializer) => {
      for await (const written of quicklyWritten(serializer, subject))
        if (proves(serializer, subject, written))
          assert.ok(
            serializer.leadingBytes?.includes(required(written.bytes[0])),
            `${written.name} starts with 0x${written.bytes[0]?.toString(16)}`,
          );
    }),
    testCase(
      "its containers are read without a content type, or all are refused without detection",
      async (serializer) => {
        let proven = 0;
        for await (const written of quicklyWritten(serializer, subject)) {
          const name = `${written.name} without a content type`;
          const offer = { ...written, isDeclared: false };
          if (!isRecognisable(serializer, subject)) await readRefused(serializer, offer, name);
          else if (proves(serializer, subject, written)) {
            const harness = await read(serializer, offer);
            // A serializer may require more evidence than a container, if some bodies have it.
            if (isUnproven(serializer, subject, harness)) continue;
            if (harness.status === "refusal") assert.fail(`${name} was refused: ${harness.error.message}`);
            assertSameValue(harness.value, written.value, written.name);
            proven++;
          }
        }
        if (isRecognisable(serializer, subject))
          assert.ok(proven > 0, "none of its containers was recognised");
      },
    ),
    testCase("scalars without a content type are refused", async (serializer) => {
      if (hasHeader(serializer, subject)) return;
      for await (const written of quicklyWritten(serializer, subject))
        if (!written.isContainer)
          await readRefused(
            serializer,
            { ...written, isDeclared: false },
            `${written.name} without a content type`,
          );
    }),
    testCase(`empty containers without a content type are ${emptyOutcome}`, async (serializer) => {
      if (hasHeader(serializer, subject)) return;
      for await (const written of quicklyWritten(serializer, subject)) {
        if (!written.isEmptyContainer) continue;
        const offer = { ...written, isDeclared: false };
        if (proves(serializer, subject, written)) await readValue(serializer, offer, written.name);
        else await readRefused(serializer, offer, `${written.name} without a content type`);
      }
    }),
    ...foreignBodies.map(({ format, name, bytes }) => {
      const isRecognised = subject.recognises?.includes(format) ?? false;
      return testCase(
        `${format} (${name}) ${isRecognised ? "may be read" : "is refused"} without a content type`,
        async (serializer) => {
          const offer = { bytes: bytes.slice(), isDeclared: false, message: messageSetting(subject) };
          const readForeign = isRecognised ? readQuickly : readRefused;
          await readForeign(serializer, offer, `${format}, ${name},`);
        },
      );
    }),
  ];
}

/** Whether a body of the subject is recognised without a content type. */
function proves(serializer: Serializer, subject: SerializerSubject, written: Written): boolean {
  if (!isRecognisable(serializer, subject)) return false;
  if (hasHeader(serializer, subject)) return true;
  return written.isContainer && (!written.isEmptyContainer || subject.recognisesEmptyContainers === true);
}

/** Whether a format without a header found too little evidence in a body. */
function isUnproven(serializer: Serializer, subject: SerializerSubject, harness: Harness): boolean {
  return (
    !hasHeader(serializer, subject) &&
    harness.status === "refusal" &&
    harness.error.reason === "evidence-insufficient"
  );
}

function isRecognisable(serializer: Serializer, subject: SerializerSubject): boolean {
  return serializer.detection !== "label" && subject.isRecognisable !== false;
}

/** Whether its bodies are recognised by a header, with any content. */
function hasHeader(serializer: Serializer, subject: SerializerSubject): boolean {
  return serializer.detection === "magic" && subject.isRecognisable !== false;
}
