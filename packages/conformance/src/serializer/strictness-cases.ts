import type { Serializer } from "@waybill/core";
import { required } from "@waybill/foundation";
import { concatBytes } from "../bytes.js";
import type { Case } from "../case.js";
import { messageSetting, readQuickly, readRefused, readValue, serializerCase } from "./harness.js";
import type { SerializerSubject } from "./serializer-subject.js";
import { type Written, writableValues, writeValue } from "./written.js";

/** Maximum number of damaged copies of one body; longer bodies are sampled evenly. */
const samples = { short: 2048, long: 6, longAt: 4096 };

/**
 * A body is exactly one value, without missing or trailing bytes. Damage inside may go unnoticed, since no format has a checksum, but it must end in
 * a value or a refusal, never in another error, a hang or a crash.
 */
export function strictnessCases(subject: SerializerSubject): Case[] {
  const testCase = serializerCase(subject, "strictness");
  return [
    // Few formats have a value of zero bytes; a pipeline passes empty bodies only to serializers that declare this.
    testCase(
      "an empty body with a content type is refused, unless the serializer reads empty bodies",
      async (serializer) => {
        const offer = { bytes: new Uint8Array(), isDeclared: true, message: subject.message };
        const readEmpty = serializer.readsEmptyBodies === true ? readValue : readRefused;
        await readEmpty(serializer, offer, "the empty body");
      },
    ),
    testCase("an empty body without a content type is refused", async (serializer) => {
      const offer = { bytes: new Uint8Array(), isDeclared: false, message: subject.message };
      await readRefused(serializer, offer, "the empty body");
    }),
    ...writableValues(subject).flatMap((entry) => {
      const writtenCase = (outcome: string, check: Check) =>
        testCase(`${entry.name} ${outcome}`, async (serializer) =>
          check(serializer, await writeValue(serializer, subject, entry), subject),
        );
      return [
        writtenCase("with trailing bytes is refused", refuseTrailing),
        writtenCase("that is truncated is refused", refuseTruncated),
        writtenCase("with a flipped bit ends in a value or a refusal", surviveBitFlips),
      ];
    }),
    ...(subject.bodies ?? []).map((body) =>
      testCase(`${body.name} that is truncated is refused`, async (serializer) => {
        const message = messageSetting(subject, body.message);
        const readCut = subject.isUnframed === true ? readQuickly : readRefused;
        for (const offset of offsets(body.bytes.length))
          await readCut(
            serializer,
            { bytes: body.bytes.slice(0, offset), isDeclared: true, message },
            `${body.name}, truncated at ${offset}`,
          );
      }),
    ),
  ];
}

type Check = (serializer: Serializer, written: Written, subject: SerializerSubject) => Promise<void>;

/** A scalar followed by a copy of itself can be a scalar again (`1` and `11`), so scalars are only tested with a zero byte. */
const refuseTrailing: Check = async (serializer, written, { isUnframed }) => {
  const readMore = isUnframed === true ? readQuickly : readRefused;
  const tails = written.isContainer
    ? [Uint8Array.of(0), Uint8Array.of(0xff), written.bytes]
    : [Uint8Array.of(0)];
  for (const tail of tails) {
    const bytes = concatBytes(written.bytes, tail);
    await readMore(
      serializer,
      { ...written, bytes, isDeclared: true },
      `${written.name} with ${tail.length} trailing bytes`,
    );
  }
};

/** The beginning of a scalar can be a scalar (`12` and `1`), so for scalars both outcomes are allowed. */
const refuseTruncated: Check = async (serializer, written, { isUnframed }) => {
  const readCut = written.isContainer && isUnframed !== true ? readRefused : readQuickly;
  for (const offset of offsets(written.bytes.length)) {
    const bytes = written.bytes.slice(0, offset);
    await readCut(serializer, { ...written, bytes, isDeclared: true }, `${written.name} cut at ${offset}`);
  }
};

const surviveBitFlips: Check = async (serializer, written) => {
  for (const bit of offsets(written.bytes.length * 8)) {
    const bytes = written.bytes.slice();
    bytes[bit >> 3] = required(bytes[bit >> 3]) ^ (1 << (bit & 7));
    await readQuickly(
      serializer,
      { ...written, bytes, isDeclared: true },
      `${written.name} with bit ${bit} flipped`,
    );
  }
};

/** Every index below the length, or for long bodies an even sample that includes the last. */
function offsets(length: number): number[] {
  const wanted = Math.min(length, length > samples.longAt * 8 ? samples.long : samples.short);
  const all = Array.from({ length: wanted }, (_, index) => Math.floor((index * length) / wanted));
  return length > 0 && all.at(-1) !== length - 1 ? [...all, length - 1] : all;
}
