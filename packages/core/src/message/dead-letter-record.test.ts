import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  deadLetterRecordProperties,
  deadLetterRecordProperty,
  maxDeadLetterRecordBytes,
  parseDeadLetterRecord,
} from "./dead-letter-record.js";
import type { Undeserializable } from "./outcome.js";
import type { DeserializationAttempt } from "./report.js";

describe("the dead-letter record", () => {
  it("is read back as it was written", async () => {
    const applicationProperties = await write([attempt(0, "unexpected token at byte 3"), attempt(1, "")]);
    expect(parseDeadLetterRecord({ applicationProperties })).toEqual({
      reason: "DeserializationFailed",
      attempts: [
        {
          serializer: "format-0",
          position: 0,
          stage: "decode",
          reason: "malformed",
          detail: "unexpected token at byte 3",
        },
        { serializer: "format-1", position: 1, stage: "decode", reason: "malformed", detail: "" },
      ],
      attemptCount: 2,
      contentType: "application/json",
      section: "data",
      bodyBytes: 3,
      bodySha256: "039058c6f2c0cb492c533b0a4d14ef77cc0f78abccced5287d84a1a2011cfb81",
      consumerVersion: "orders 1.2.3",
      deadLetteredAt: new Date("2025-01-02T03:04:05.678Z"),
    });
  });

  it("does not exceed its size limit with any attempts", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ unit: "grapheme", maxLength: 400 }), { maxLength: 200 }),
        async (details) => {
          const properties = await write(details.map((detail, i) => attempt(i, detail.repeat(5))));
          const text = properties[deadLetterRecordProperty] as string;
          expect(new TextEncoder().encode(text).length).toBeLessThanOrEqual(maxDeadLetterRecordBytes);
          expect(parseDeadLetterRecord({ applicationProperties: properties })!.attemptCount).toBe(
            details.length,
          );
        },
      ),
      { numRuns: 50 },
    );
  });

  it("uses only what the message's properties leave of 64 KB", async () => {
    const crowded = { a: "x".repeat(32_000), b: "x".repeat(32_000) };
    const squeezed = await write([attempt(0, "d".repeat(2_000))], crowded);
    expect((squeezed[deadLetterRecordProperty] as string).length).toBeLessThan(1_400);
    expect(parseDeadLetterRecord({ applicationProperties: squeezed })).toBeDefined();
    expect(await write([attempt(0, "")], { ...crowded, c: "x".repeat(1_400) })).toEqual({});
  });

  it("does not count a record of an earlier dead-lettering that it replaces", async () => {
    const earlier = { a: "x".repeat(31_000), [deadLetterRecordProperty]: "x".repeat(32_000) };
    expect(await write([attempt(0, "")], earlier)).toHaveProperty([deadLetterRecordProperty]);
  });

  it("is undefined if there is none or if it is malformed", () => {
    const values = [undefined, 7, "", "no json", "{}", "null", '{"v":2}', "[".repeat(32_000), '"x"'];
    for (const value of values) {
      const applicationProperties = { [deadLetterRecordProperty]: value } as never;
      expect(parseDeadLetterRecord({ applicationProperties })).toBeUndefined();
    }
  });

  it("is refused or well-formed with any value of the property", () => {
    fc.assert(
      fc.property(fc.json(), (json) => {
        const record = parseDeadLetterRecord({ applicationProperties: { [deadLetterRecordProperty]: json } });
        expect(record === undefined || Array.isArray(record.attempts)).toBe(true);
      }),
    );
  });
});

function write(attempts: DeserializationAttempt[], applicationProperties = {}) {
  return deadLetterRecordProperties({
    outcome: outcome(attempts),
    rawBody: Uint8Array.of(1, 2, 3),
    applicationProperties,
    consumerVersion: "orders 1.2.3",
    deadLetteredAt: new Date("2025-01-02T03:04:05.678Z"),
  });
}

function outcome(attempts: DeserializationAttempt[]): Undeserializable {
  return {
    status: "undeserializable",
    reason: "DeserializationFailed",
    description: "Nobody could read it.",
    report: {
      serializer: undefined,
      position: -1,
      declared: undefined,
      contentType: "application/json",
      section: "data",
      attempts,
      messageType: undefined,
      messageVersion: undefined,
      upcastPath: [],
      contentEncodings: [],
      claimCheck: undefined,
      encryptionKeyId: undefined,
      bytes: 3,
      durationInMs: 1,
    },
  };
}

function attempt(position: number, detail: string): DeserializationAttempt {
  return { serializer: `format-${position}`, position, stage: "decode", reason: "malformed", detail };
}
