import { isObject, parseJson, printable, truncate } from "@waybill/foundation";
import { bodySection, type EncodedBody } from "./body.js";
import { applicationPropertyLimits, maxDeadLetterTextLength } from "./broker-properties.js";
import { applicationPropertySize, utf8Length } from "./check-message.js";
import type { ApplicationProperties, DeliveredProperties } from "./message.js";
import type { Undeserializable } from "./outcome.js";
import { sha256Hex } from "./web-crypto.js";

/** The application property that holds the record of a message waybill dead-lettered. */
export const deadLetterRecordProperty = "waybill-dead-letter-record";

/** Maximum size of a record in bytes, without its property name. */
export const maxDeadLetterRecordBytes = 4_096;

/** One attempt to read the body, as the record keeps it. */
export interface DeadLetterAttempt {
  /** The serializer's name; undefined when the attempt ended before one was chosen. */
  readonly serializer: string | undefined;
  /** 0 for the main serializer, 1… for the additional deserializers; -1 when none was chosen. */
  readonly position: number;
  /** A {@link Stage}; a later version of waybill may have written one that this version does not know. */
  readonly stage: string;
  /** A {@link ReasonCode}, or one of a later version. */
  readonly reason: string;
  /** What was wrong and where; truncated or empty if the record had no room for it. */
  readonly detail: string;
}

/** Why waybill dead-lettered a message: machine-readable, bounded, and without payload. */
export interface DeadLetterRecord {
  /** The message's `deadLetterReason`. */
  readonly reason: string;
  /** The attempts in order; the last ones are missing if the record had no room for them. */
  readonly attempts: readonly DeadLetterAttempt[];
  /** How many attempts there were. */
  readonly attemptCount: number;
  /** The content type as received, truncated to 256 characters. */
  readonly contentType: string | undefined;
  /** The AMQP section of the body: `data`, `value` or `sequence`. */
  readonly section: string;
  /** The size of the encoded body in bytes; 0 for value and sequence sections. */
  readonly bodyBytes: number;
  /** SHA-256 of the encoded body, in lower-case hexadecimal; undefined without a data section or Web Crypto. */
  readonly bodySha256: string | undefined;
  /** The `consumerVersion` of the client that dead-lettered the message. */
  readonly consumerVersion: string | undefined;
  /** When it was dead-lettered, by the client's clock. */
  readonly deadLetteredAt: Date;
}

/** The inputs of a record. */
export interface DeadLetterRecordSource {
  readonly outcome: Undeserializable;
  readonly rawBody: EncodedBody;
  readonly applicationProperties: ApplicationProperties;
  readonly consumerVersion: string | undefined;
  readonly deadLetteredAt: Date;
}

/** The part of a message that contains the record. */
export type DeadLetterRecordCarrier = Pick<DeliveredProperties, "applicationProperties">;

/**
 * The record as application properties to add while dead-lettering. It takes at most {@link maxDeadLetterRecordBytes}, and no more than
 * the message's own properties leave of the service's limit; empty if not even the shortest form fits.
 */
export async function deadLetterRecordProperties(
  source: DeadLetterRecordSource,
): Promise<ApplicationProperties> {
  const budget = Math.min(maxDeadLetterRecordBytes, roomFor(deadLetterRecordProperty, source));
  const text = fitRecord(await wireRecord(source), budget);
  return text === undefined ? {} : { [deadLetterRecordProperty]: text };
}

/** Reads the record of a dead-lettered message; undefined when it has none, or a malformed one. */
export function parseDeadLetterRecord(message: DeadLetterRecordCarrier): DeadLetterRecord | undefined {
  const text = message.applicationProperties[deadLetterRecordProperty];
  if (typeof text !== "string" || text.length > applicationPropertyLimits.maxBytes) return undefined;
  const record = parseJson(text);
  return isWireRecord(record) ? fromWireRecord(record) : undefined;
}

/** The dead-letter description, truncated to the service's limit and to what the message's own properties leave of the limit for all. */
export function deadLetterDescription(
  outcome: Undeserializable,
  applicationProperties: ApplicationProperties,
): string {
  const names = utf8Length(outcome.reason) + utf8Length("DeadLetterReasonDeadLetterErrorDescription");
  const left = applicationPropertyLimits.maxTotalBytes - names - sizeOf(applicationProperties);
  // Descriptions are escaped, so nearly every character is one byte; the broker refuses what is still too long.
  return truncate(outcome.description, Math.max(0, Math.min(left, maxDeadLetterTextLength)));
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

/** The lengths to which details are truncated, one after the other, until the record fits. */
const detailLengths = Object.freeze([512, 128, 32, 0]);

function fitRecord(record: WireRecord, budget: number): string | undefined {
  for (const detailLength of detailLengths) {
    const text = fits(withDetails(record, detailLength), budget);
    if (text !== undefined) return text;
  }
  const { tries, ...rest } = withDetails(record, 0);
  for (let kept = Math.min(tries.length - 1, 64); kept >= 0; kept--) {
    const text = fits({ ...rest, tries: tries.slice(0, kept) }, budget);
    if (text !== undefined) return text;
  }
  return undefined;
}

function withDetails(record: WireRecord, maxLength: number): WireRecord {
  const tries = record.tries.map(([serializer, position, stage, reason, detail]): WireAttempt => {
    return [serializer, position, stage, reason, truncate(detail, maxLength)];
  });
  return { ...record, tries };
}

function fits(record: WireRecord, budget: number): string | undefined {
  // JSON does not escape all unprintable characters; escaping them does not change what is parsed.
  const text = printable(JSON.stringify(record));
  return utf8Length(text) <= budget ? text : undefined;
}

/** How many of the 64 KB for all properties the message's own ones, the reason and the description leave. */
function roomFor(property: string, { applicationProperties, outcome }: DeadLetterRecordSource): number {
  const { [property]: _, ...others } = applicationProperties;
  const texts = utf8Length(property) + utf8Length(outcome.reason) + utf8Length(outcome.description) + 64;
  return applicationPropertyLimits.maxTotalBytes - texts - sizeOf(others);
}

function sizeOf(applicationProperties: ApplicationProperties): number {
  let size = 0;
  for (const [key, value] of Object.entries(applicationProperties)) {
    size += utf8Length(key) + (applicationPropertySize(value) ?? 16);
  }
  return size;
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
  if (!isObject(value)) return false;
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
