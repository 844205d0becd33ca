import { BatchWriter } from "@waybill/amqp/batches";
import type { EncodedMessage } from "@waybill/core";
import fc from "fast-check";
import rhea from "rhea";
import { describe, expect, it } from "vitest";
import { isPlain, type PlainMessage, toMessageParts } from "./plain-message.js";

describe("a batch's envelope and entries", () => {
  it("writes an envelope that rhea reads as the given messages", () => {
    fc.assert(
      fc.property(fc.array(plainMessages(), { minLength: 1, maxLength: 5 }), (messages) => {
        const envelope = rhea.message.decode(encodeBatch(messages)) as unknown as Decoded;
        const parts = [envelope.body.content].flat();
        expect(parts.map(decodedMessage)).toEqual(messages.map(expectedMessage));
        expect(envelope.message_id).toEqual(messages[0]!.messageId);
        expect(envelope.group_id).toEqual(messages[0]!.sessionId);
      }),
    );
  });

  it("is read like one written by rhea, including types", () => {
    const applicationProperties = {
      text: "Zoë",
      big: 2 ** 32 - 1,
      less: -7,
      half: 0.5,
      yes: true,
      no: false,
      none: null,
    };
    const written = (bytes: Buffer) =>
      (rhea.message.decode(bytes) as unknown as Decoded).application_properties;
    const ours = rhea.message.decode(
      encodeBatch([{ body: Uint8Array.of(1), applicationProperties }]),
    ) as unknown as Decoded;
    const theirs = rhea.message.encode({ application_properties: applicationProperties, body: "x" } as never);
    expect(written(ours.body.content as Buffer)).toEqual(written(theirs as unknown as Buffer));
  });

  it.each([0, 1, -1, 127, 2 ** 31, 2 ** 32 - 1, -(2 ** 31) + 2, 0.5, Number.POSITIVE_INFINITY])(
    "writes %s with the same type as rhea, because readers cast to known types",
    (n) => {
      const ours = encodeBatch([{ body: new Uint8Array(), applicationProperties: { n } }]);
      const theirs = rhea.message.encode({ application_properties: { n }, body: "x" } as never) as never;
      expect(kindOf(typeCodeOf(ours))).toBe(kindOf(typeCodeOf(theirs)));
    },
  );

  it("grows beyond the expected size, but not beyond the limit", () => {
    const messages = Array.from(
      { length: 40 },
      (_, id): PlainMessage => ({
        messageId: `${id}`,
        body: Buffer.alloc(1_000, id),
      }),
    );
    const writer = writerOf(messages[0]!);
    const taken = messages.filter((message) => writer.tryAppend(toMessageParts(message), 30_000));
    expect(taken).toHaveLength(28);
    expect(writer.tryAppend(toMessageParts({ body: Buffer.alloc(2 ** 30) }), 30_000)).toBe(false);
    expect(writer.length).toBeLessThanOrEqual(30_000);
    const envelope = rhea.message.decode(writer.bytes()) as unknown as Decoded;
    expect([envelope.body.content].flat().map(decodedMessage)).toEqual(taken.map(expectedMessage));
  });

  it.each<[string, Partial<EncodedMessage>]>([
    ["a value section", { body: { section: "value", value: 1 } }],
    ["a time to live", { timeToLive: 1 }],
    ["a scheduled time", { scheduledEnqueueTimeUtc: new Date() }],
    ["a partition key", { partitionKey: "a" }],
    ["an id that is not a string", { messageId: 1 }],
    ["a date", { applicationProperties: { at: new Date() } }],
    ["a 64-bit integer", { applicationProperties: { n: 1n } }],
    ["bytes", { applicationProperties: { b: Uint8Array.of(1) } }],
    ["a negative zero", { applicationProperties: { n: -0 } }],
    ["an integer beyond 32 bits", { applicationProperties: { n: 2 ** 40 } }],
    ["an integer that rhea writes as long", { applicationProperties: { n: -(2 ** 31) + 1 } }],
  ])("leaves %s to the SDK", (_name, properties) => {
    expect(isPlain({ body: new Uint8Array(), ...properties })).toBe(false);
  });
});

function encodeBatch(messages: readonly EncodedMessage[]): Buffer {
  const plain = messages.filter(isPlain);
  const writer = writerOf(plain[0]!);
  for (const message of plain) expect(writer.tryAppend(toMessageParts(message), 2 ** 20)).toBe(true);
  return writer.bytes();
}

function writerOf(first: PlainMessage): BatchWriter {
  const { body: _, ...front } = toMessageParts(first);
  return new BatchWriter(front, 0);
}

/** The type code of the value of the property `n`, which follows its name. */
function typeCodeOf(bytes: Buffer): number {
  const short = bytes.lastIndexOf(Buffer.from("a1016e", "hex"));
  const long = bytes.lastIndexOf(Buffer.from("b1000000016e", "hex"));
  return bytes[short < 0 ? long + 6 : short + 3]!;
}

/** The short forms of a type have their own codes. Source: AMQP 1.0, 1.6. */
function kindOf(typeCode: number): string | undefined {
  const kinds = { uint: [0x43, 0x52, 0x70], int: [0x54, 0x71], double: [0x82] };
  return Object.entries(kinds).find(([, codes]) => codes.includes(typeCode))?.[0];
}

interface Decoded {
  readonly body: { readonly content: Buffer | Buffer[] };
  readonly message_id?: string;
  readonly group_id?: string;
  readonly application_properties?: Record<string, unknown>;
}

function decodedMessage(bytes: Buffer) {
  const decoded = rhea.message.decode(bytes) as unknown as Record<string, unknown> & Decoded;
  return {
    body: Buffer.from(decoded.body.content as Buffer),
    messageId: decoded.message_id,
    to: decoded.to,
    subject: decoded.subject,
    replyTo: decoded.reply_to,
    correlationId: decoded.correlation_id,
    contentType: decoded.content_type,
    sessionId: decoded.group_id,
    replyToSessionId: decoded.reply_to_group_id,
    applicationProperties: decoded.application_properties,
  };
}

function expectedMessage(message: EncodedMessage) {
  const { body, messageId, to, subject, replyTo, correlationId, contentType, sessionId } = message;
  const { replyToSessionId, applicationProperties } = message;
  return {
    body: Buffer.from(body as Uint8Array),
    messageId,
    to,
    subject,
    replyTo,
    correlationId,
    contentType,
    sessionId,
    replyToSessionId,
    applicationProperties,
  };
}

function plainMessages(): fc.Arbitrary<EncodedMessage> {
  const text = fc.oneof(fc.string({ unit: "grapheme" }), fc.string({ minLength: 200, maxLength: 400 }));
  const ascii = fc.string({ unit: "grapheme-ascii" });
  const int = fc.oneof(
    fc.integer({ min: -(2 ** 31) + 2, max: -1 }),
    fc.nat(),
    fc.integer({ min: 0, max: 2 ** 32 - 1 }),
  );
  const fraction = fc.double().filter((value) => !Number.isInteger(value) && !Number.isNaN(value));
  const value = fc.oneof(text, int, fraction, fc.boolean(), fc.constant(null));
  const name = fc.string({ minLength: 1 }).filter((one) => one !== "__proto__");
  return fc.record(
    {
      body: fc.uint8Array({ maxLength: 600 }),
      messageId: text,
      to: text,
      subject: text,
      replyTo: text,
      correlationId: text,
      contentType: ascii,
      sessionId: text,
      replyToSessionId: text,
      applicationProperties: fc.dictionary(name, value),
    },
    { requiredKeys: ["body"] },
  );
}
