import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { Serializer } from "../contracts/serializer.js";
import { decodeFailure } from "../errors/failure.js";
import { deadLetterRecordProperties, parseDeadLetterRecord } from "../message/dead-letter-record.js";
import type { EncodedMessage } from "../message/message.js";
import type { Undeserializable } from "../message/outcome.js";
import { defineMessage } from "../message-types/define-message.js";
import { plainJson } from "../plain-json.test-support.js";
import type { PipelineOptions } from "./options.js";
import { createPipeline } from "./pipeline.js";

const utf8 = new TextEncoder();

/** Line breaks, terminal control characters, direction marks and lone surrogates. */
const hostile = "a\r\nFORGED: line\u0000\u001b[31m\u0085\u202e\u2028\ufeff\ud800";

/** The description has line breaks between attempts. */
const unprintable =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
  /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]|\p{Surrogate}/u;

async function refuse(
  message: Partial<EncodedMessage>,
  options: Partial<PipelineOptions> = {},
): Promise<Undeserializable> {
  const pipeline = createPipeline({ serializer: plainJson, ...options });
  const outcome = await pipeline.deserialize({ body: utf8.encode("not JSON"), ...message });
  if (outcome.status !== "undeserializable") throw new Error("The body was read.");
  return outcome;
}

async function texts(outcome: Undeserializable): Promise<string[]> {
  const record = await deadLetterRecordProperties({
    outcome,
    rawBody: utf8.encode("not JSON"),
    applicationProperties: {},
    consumerVersion: undefined,
    deadLetteredAt: new Date(0),
  });
  return [
    outcome.description,
    ...outcome.report.attempts.map(({ detail }) => detail),
    ...Object.values(record).map(String),
  ];
}

const type = defineMessage("order", { version: 1, schemas: { 1: z.record(z.string(), z.number()) } });

const cases: readonly [string, Partial<EncodedMessage>, Partial<PipelineOptions>][] = [
  ["a content type", { contentType: hostile }, {}],
  ["a content encoding", { applicationProperties: { "Content-Encoding": hostile } }, {}],
  ["a message type", { subject: hostile }, { messageTypes: [type] }],
  [
    "a message version",
    { subject: "order", applicationProperties: { messageVersion: hostile } },
    { messageTypes: [type] },
  ],
  [
    "a claim check",
    { body: new Uint8Array(0), applicationProperties: { "waybill-claim-check": hostile } },
    {},
  ],
  [
    "the id of an encryption's key",
    { applicationProperties: { "waybill-encryption": "AES-256-GCM", "waybill-encryption-key-id": hostile } },
    {},
  ],
  [
    "a key of the body",
    { body: utf8.encode(JSON.stringify({ [hostile]: "x" })), subject: "order" },
    { messageTypes: [type] },
  ],
  [
    "the text of a serializer",
    { contentType: "application/json" },
    {
      serializer: {
        ...plainJson,
        deserialize: () => {
          throw decodeFailure("malformed", hostile);
        },
      } satisfies Serializer,
    },
  ],
];

describe("the texts of a dead letter", () => {
  it.each(cases)("show only printable characters, and no injected lines: %s", async (_, message, options) => {
    const outcome = await refuse(message, options);
    for (const text of await texts(outcome)) {
      expect(text).not.toMatch(unprintable);
      expect(text).not.toMatch(/^FORGED/m);
    }
    expect(outcome.description.split("\n")).toHaveLength(1 + outcome.report.attempts.length);
  });

  it("quote names from the wire, and truncate them", async () => {
    const labelled = await refuse({ contentType: `text/${"x".repeat(500)}` });
    expect(labelled.description).toContain(`content type "text/${"x".repeat(123)}…")`);
    const long = utf8.encode(JSON.stringify({ ["k".repeat(500)]: "x" }));
    const keyed = await refuse({ body: long, subject: "order" }, { messageTypes: [type] });
    expect(keyed.description).toContain(`breaks its schema at "/${"k".repeat(40)}…".`);
  });

  it("keep the content type in the record as it arrived, for tools to read", async () => {
    const outcome = await refuse({ contentType: hostile });
    const record = await deadLetterRecordProperties({
      outcome,
      rawBody: utf8.encode("not JSON"),
      applicationProperties: {},
      consumerVersion: undefined,
      deadLetteredAt: new Date(0),
    });
    expect(parseDeadLetterRecord({ applicationProperties: record })?.contentType).toBe(hostile);
  });
});
