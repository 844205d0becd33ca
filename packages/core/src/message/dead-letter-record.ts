import { printable, truncate } from "../errors/wire-text.js";
import { sha256Hex } from "../foundation/web-crypto.js";
import { bodySection, type EncodedBody } from "./body.js";
import { applicationPropertyLimits, maxDeadLetterTextLength } from "./broker-properties.js";
import { applicationPropertySize, utf8Length } from "./check-message.js";
import type { ApplicationProperties, DeliveredProperties } from "./message.js";
import type { Undeserializable } from "./outcome.js";

/** The application property that holds the record of a message waybill dead-lettered. */
export const deadLetterRecordProperty = "waybill-dead-letter-record";

/** The most bytes a record takes, its property name not counted. */
export const maxDeadLetterRecordBytes = 4_096;

/** One attempt to read the body, as the record keeps it. */
export interface DeadLetterAttempt {
  /** The serializer's name; undefined when the attempt ended before one was chosen. */
  readonly serializer: string | undefined;
  /** 0 for the main serializer, 1… for the additional deserializers; -1 when none was chosen. */
  readonly position: number;
  /** A {@link Stage}; a later version of waybill may have written one this version does not know. */
  readonly stage: string;
  /** A {@link ReasonCode}, with the same reservation. */
  readonly reason: string;
  /** What was wrong and where, shortened or empty where the record had no room. */
  readonly detail: string;
}

/** Why waybill dead-lettered a message: machine-readable, bounded, and without payload. */
export interface DeadLetterRecord {
  /** The message's `deadLetterReason`. */
  readonly reason: string;
  /** The attempts in order, as many as had room. */
  readonly attempts: readonly DeadLetterAttempt[];
  /** How many attempts there were. */
  readonly attemptCount: number;
  /** The content type as it arrived, 256 characters of it at most. */
  readonly contentType: string | undefined;
  /** The AMQP section of the body: `data`, `value` or `sequence`. */
  readonly section: string;
  /** The size of the body as it travelled, in bytes; 0 for value and sequence sections. */
  readonly bodyBytes: number;
  /** SHA-256 of the body as it travelled, in lower-case hexadecimal; undefined without a data section or Web Crypto. */
  readonly bodySha256: string | undefined;
  /** The `consumerVersion` of the client that gave up on the message. */
  readonly consumerVersion: string | undefined;
  /** When waybill gave up on it, by the client's clock. */
  readonly deadLetteredAt: Date;
}

/** What a record is written from. */
export interface DeadLetterRecordSource {
  readonly outcome: Undeserializable;
  readonly rawBody: EncodedBody;
  readonly applicationProperties: ApplicationProperties;
  readonly consumerVersion: string | undefined;
  readonly deadLetteredAt: Date;
}

/** The part of a message that a record is read from. */
export type DeadLetterRecordCarrier = Pick<DeliveredProperties, "applicationProperties">;

/**
 * Writes the record as application properties to add while dead-lettering. It keeps within {@link maxDeadLetterRecordBytes} and within
 * what the message's own properties leave of the service's limit; empty when not even the shortest form has room.
 */
export async function deadLetterRecordProperties(
  source: DeadLetterRecordSource,
): Promise<ApplicationProperties> {
  const budget = Math.min(maxDeadLetterRecordBytes, roomFor(deadLetterRecordProperty, source));
  const text = fitRecord(await wireRecord(source), budget);
  return text === undefined ? {} : { [deadLetterRecordProperty]: text };
}

/** Reads the record back from a dead-lettered message; undefined when it carries none, or none that is well-formed. */
export function parseDeadLetterRecord(message: DeadLetterRecordCarrier): DeadLetterRecord | undefined {
  const text = message.applicationProperties[deadLetterRecordProperty];
  if (typeof text !== "string" || text.length > applicationPropertyLimits.maxBytes) return undefined;
  let record: unknown;
  try {
    record = JSON.parse(text);
  } catch {
    return undefined;
  }
  return isWireRecord(record) ? fromWireRecord(record) : undefined;
}

/** A dead-letter description within the service's limit. */
export function deadLetterDescription(outcome: Undeserializable): string {
  return truncate(outcome.description, maxDeadLetterTextLength);
}

type WireAttempt = [
  serializer: string | null,
  position: number,
  stage: string,
  reason: string,
  detail: string,
];

/** Short keys, because the record shares 64 KB with the message's own properties. */
interface WireRecord {
  v: 1;
  reason: string;
  at: number;
  n: number;
  type?: string;
  section: string;
  bytes: number;
  sha256?: string;
  by?: string;
  tries: WireAttempt[];
}

async function wireRecord(source: DeadLetterRecordSource): Promise<WireRecord> {
  const { reason, report } = source.outcome;
  const sha256 = await digest(source.rawBody);
  return {
    v: 1,
    reason,
    at: source.deadLetteredAt.getTime(),
    n: report.attempts.length,
    ...(report.contentType === undefined ? {} : { type: truncate(report.contentType, 256) }),
    section: bodySection(source.rawBody),
    bytes: report.bytes,
    ...(sha256 === undefined ? {} : { sha256 }),
    ...(source.consumerVersion === undefined ? {} : { by: truncate(source.consumerVersion, 128) }),
    tries: report.attempts.map(({ serializer, position, stage, reason: why, detail }) => [
      serializer ?? null,
      position,
      stage,
      why,
      detail,
    ]),
  };
}

/** The lengths to which details are cut, one after the other, until the record fits. */
const detailLengths = Object.freeze([512, 128, 32, 0]);

function fitRecord(record: WireRecord, budget: number): string | undefined {
  for (const detailLength of detailLengths) {
    const tries = record.tries.map(([serializer, position, stage, reason, detail]): WireAttempt => {
      return [serializer, position, stage, reason, truncate(detail, detailLength)];
    });
    const text = fits({ ...record, tries }, budget);
    if (text !== undefined) return text;
  }
  for (let kept = Math.min(record.tries.length - 1, 64); kept >= 0; kept -= 1) {
    const tries = record.tries
      .slice(0, kept)
      .map(([serializer, position, stage, reason]): WireAttempt => [serializer, position, stage, reason, ""]);
    const text = fits({ ...record, tries }, budget);
    if (text !== undefined) return text;
  }
  return undefined;
}

function fits(record: WireRecord, budget: number): string | undefined {
  // JSON leaves some of what does not print as it is; its escapes read back the same.
  const text = printable(JSON.stringify(record));
  return utf8Length(text) <= budget ? text : undefined;
}

/** What the message's own properties, reason and description leave of the 64 KB that all share. */
function roomFor(property: string, { applicationProperties, outcome }: DeadLetterRecordSource): number {
  let taken = utf8Length(property) + utf8Length(outcome.reason) + utf8Length(outcome.description) + 64;
  for (const [key, value] of Object.entries(applicationProperties)) {
    if (key !== property) taken += utf8Length(key) + (applicationPropertySize(value) ?? 16);
  }
  return applicationPropertyLimits.maxTotalBytes - taken;
}

async function digest(body: EncodedBody): Promise<string | undefined> {
  if (!(body instanceof Uint8Array)) return undefined;
  try {
    return await sha256Hex(body);
  } catch {
    // A record without a hash is better than no record.
    return undefined;
  }
}

function isWireRecord(value: unknown): value is WireRecord {
  if (typeof value !== "object" || value === null) return false;
  const record = value as Record<keyof WireRecord, unknown>;
  return (
    record.v === 1 &&
    typeof record.reason === "string" &&
    isCount(record.at) &&
    record.at <= 8.64e15 &&
    isCount(record.n) &&
    isOptionalString(record.type) &&
    typeof record.section === "string" &&
    isCount(record.bytes) &&
    isOptionalString(record.sha256) &&
    isOptionalString(record.by) &&
    Array.isArray(record.tries) &&
    record.tries.every(isWireAttempt)
  );
}

function isWireAttempt(value: unknown): value is WireAttempt {
  if (!Array.isArray(value) || value.length !== 5) return false;
  const [serializer, position, stage, reason, detail] = value;
  return (
    (serializer === null || typeof serializer === "string") &&
    Number.isSafeInteger(position) &&
    typeof stage === "string" &&
    typeof reason === "string" &&
    typeof detail === "string"
  );
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isOptionalString(value: unknown): boolean {
  return value === undefined || typeof value === "string";
}

function fromWireRecord(record: WireRecord): DeadLetterRecord {
  return {
    reason: record.reason,
    attempts: record.tries.map(([serializer, position, stage, reason, detail]) => ({
      serializer: serializer ?? undefined,
      position,
      stage,
      reason,
      detail,
    })),
    attemptCount: record.n,
    contentType: record.type,
    section: record.section,
    bodyBytes: record.bytes,
    bodySha256: record.sha256,
    consumerVersion: record.by,
    deadLetteredAt: new Date(record.at),
  };
}
