import assert from "node:assert/strict";
import { inspect } from "node:util";
import type { WaybillError } from "@waybill/core";
import { required } from "@waybill/foundation";
import { concatBytes } from "../bytes.js";
import type { Case } from "../case.js";
import { assertWriteRefusal, read, serializerCase, write } from "./harness.js";
import type { SerializerSubject } from "./serializer-subject.js";

const marker = "xK9-payload-marker-Zq4";
/** A part of the marker, which also finds truncated quotations of the payload. */
const markerPart = "payload-marker";

/** Payload never appears in an error: not in its message, stack, causes or their properties. */
export function secrecyCases(subject: SerializerSubject): Case[] {
  const testCase = serializerCase(subject, "secrecy");
  return [
    testCase("refusals of damaged bodies do not contain payload", async (serializer) => {
      const { bytes, contentType } = await write(serializer, subject.marked(marker), subject.message);
      let refusals = 0;
      for (const damaged of damagedCopies(bytes)) {
        const offer = { bytes: damaged, contentType, isDeclared: true, message: subject.message };
        const harness = await read(serializer, offer);
        if (harness.status === "value") continue;
        refusals++;
        assertIsSecret(harness.error);
      }
      assert.ok(refusals > 0 || subject.isUnframed === true, "some damaged body was refused");
    }),
    testCase("refusals of bodies in other formats do not contain payload", async (serializer) => {
      const texts = [
        marker,
        `{"a":"${marker}`,
        `{${marker}}`,
        `["${marker}",]`,
        `<a>${marker}</a>`,
        `\uFFFF${marker}`,
      ];
      for (const text of texts) {
        for (const isDeclared of [true, false]) {
          const offer = { bytes: new TextEncoder().encode(text), isDeclared, message: subject.message };
          const harness = await read(serializer, offer);
          if (harness.status === "refusal") assertIsSecret(harness.error);
        }
      }
    }),
    testCase("refusals to write do not contain the value", async (serializer) => {
      for (const value of unwritableValues(subject.marked(marker)))
        await write(serializer, value, subject.message).catch((error: unknown) =>
          assertIsSecret(assertWriteRefusal(error)),
        );
    }),
  ];
}

function assertIsSecret(error: WaybillError): void {
  const shown = inspect(error, { depth: 10, showHidden: true, maxStringLength: null, maxArrayLength: null });
  assert.ok(!shown.includes(markerPart), "a refusal quotes the payload");
}

function* damagedCopies(bytes: Uint8Array): Iterable<Uint8Array> {
  for (let offset = 0; offset < bytes.length; offset++) {
    yield bytes.slice(0, offset);
    for (const bit of [1, 0x20, 0x80]) {
      const flipped = bytes.slice();
      flipped[offset] = required(flipped[offset]) ^ bit;
      yield flipped;
    }
    yield concatBytes(bytes.slice(0, offset), Uint8Array.of(0xff), bytes.slice(offset));
  }
  yield concatBytes(bytes, bytes);
}

/** Values of wrong types around a valid one: formats may write some of them, but errors must not quote them. */
function unwritableValues(marked: unknown): unknown[] {
  const cyclic: Record<string, unknown> = { marker, marked };
  cyclic.self = cyclic;
  return [
    cyclic,
    marker,
    [marker],
    { marker, run: () => marker },
    [Symbol(marker)],
    { marked, more: 1n << 80n },
    { toJSON: throwMarker },
    [marked, `${marker}\ud800`],
    throwing(marked),
  ];
}

/** An object with the keys of another whose getters throw its values. */
function throwing(value: unknown): object {
  const object = {};
  for (const key of Object.keys(value as object))
    Object.defineProperty(object, key, { enumerable: true, get: throwMarker });
  return object;
}

function throwMarker(): never {
  throw new Error(marker);
}
