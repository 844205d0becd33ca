import {
  createPipeline,
  type DeserializationOutcome,
  parseDeadLetterRecord,
  WaybillError,
} from "@waybill/core";
import { looksLike, originText } from "@waybill/core/diagnostics";
import { type DeserializationAttempt, decisiveAttempt } from "@waybill/core/pipeline";
import type { DeliveredMessage, EntityAddress } from "@waybill/core/transport";
import { toPortableValue } from "@waybill/migration/tools";
import type { ExplorerContext } from "../options/explorer-options.js";
import { type LeafNode, treeLimits, type ValueNode, valueTree } from "../values/value-tree.js";
import { RequestError } from "../wire/request-error.js";
import { attemptView } from "./attempt-view.js";
import { jsonIn, textOf } from "./body-text.js";
import { idText, instant, messageRow } from "./message-row.js";
import { peekOne, readMessage } from "./peek.js";

/** One message with all its details. */
export type MessageView = Awaited<ReturnType<typeof messageView>>;

/** A property; its value is a leaf. */
export interface PropertyView {
  readonly name: string;
  readonly value: LeafNode;
}

type Report = DeserializationOutcome["report"];

/** How the chain, or the requested serializer, reads a body. */
export type ReadingView = ReturnType<typeof readingView>;

/** A piece of a body in hexadecimal. */
export type HexView = ReturnType<typeof hexOf>;

/** How many bytes of a body are sent with a message. */
const hexBytes = 2_048;

/** Peeks one message; `readAs` names a serializer to read it with instead of the chain. */
export async function viewMessage(
  context: ExplorerContext,
  address: EntityAddress,
  sequenceNumber: bigint,
  { readAs, abortSignal }: { readAs?: string | undefined; abortSignal?: AbortSignal | undefined } = {},
) {
  const message = await peekOne(context, address, sequenceNumber, abortSignal);
  return await messageView(context, message, { readAs, abortSignal });
}

/** The view of a message that was already peeked. */
export async function messageView(
  context: ExplorerContext,
  message: DeliveredMessage,
  { readAs, abortSignal }: { readAs?: string | undefined; abortSignal?: AbortSignal | undefined } = {},
) {
  const chain = await readMessage(context, message, { abortSignal });
  const { outcome, refused }: AskedReading =
    readAs === undefined ? { outcome: chain } : await readAsAsked(context, message, readAs, abortSignal);
  const travelled = bodyAsRead(message, outcome.report);
  const reading = readingView(context, outcome, { readAs, refused, travelled });
  const offset = travelled && reading.attempts[reading.decisive]?.offset;
  return {
    ...messageRow(message, chain),
    properties: propertiesOf(message),
    applicationProperties: Object.entries(message.applicationProperties).map(propertyView),
    reading,
    /** Whether the body is text, whatever the chain makes of it: it can be asked for then. */
    isText: textOf(message) !== undefined,
    /** The attempts when waybill dead-lettered it. */
    record: recordOf(message, travelled),
    /** The bytes around the position where reading failed, or the first ones; undefined for AMQP values. */
    hex: message.body instanceof Uint8Array ? hexAround(message.body, offset) : undefined,
  };
}

/** How a value is read: by the chain, by a serializer that is asked for, or as JSON whatever both say. */
export interface ValueReading {
  readonly readAs?: string | undefined;
  readonly isPlainJson?: boolean;
}

/** A part of a message's value, found by the steps of `path`. Rejects with `RequestError` when there is no such part. */
export async function viewValuePart(
  context: ExplorerContext,
  message: DeliveredMessage,
  { path, from, ...reading }: ValueReading & { readonly path: readonly number[]; readonly from: number },
): Promise<ValueNode> {
  const found = await valueIn(context, message, reading);
  const part =
    found && valueTree(found.value, { path, from, limits: { ...treeLimits, maxTextLength: 100_000 } });
  if (part === undefined) throw new RequestError(404, "The value has no such part.");
  return part;
}

/** A whole value as JSON, with numbers and bytes as `waybill` writes them. Rejects with `RequestError` when there is none. */
export async function valueText(
  context: ExplorerContext,
  message: DeliveredMessage,
  reading: ValueReading,
): Promise<string> {
  const found = await valueIn(context, message, reading);
  if (found === undefined) throw new RequestError(404, "The message has no value.");
  return JSON.stringify(toPortableValue(found.value), undefined, 2);
}

async function valueIn(
  context: ExplorerContext,
  message: DeliveredMessage,
  { readAs, isPlainJson = false }: ValueReading,
): Promise<{ readonly value: unknown } | undefined> {
  if (isPlainJson) {
    const value = jsonIn(textOf(message) ?? "");
    return value === undefined ? undefined : { value };
  }
  const { outcome } = await readAsAsked(context, message, readAs);
  return outcome.status === "decoded" ? { value: outcome.body } : undefined;
}

/** A piece of a body; `offset` is the byte to mark. */
export function hexOf(body: Uint8Array, from: number, length: number, offset?: number) {
  const piece = body.subarray(from, from + length);
  const hex = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength).toString("hex");
  return { from, hex, bytes: body.length, offset };
}

function hexAround(body: Uint8Array, offset: number | undefined): HexView {
  const place = offset === undefined || offset > body.length ? undefined : offset;
  const from = Math.max(0, Math.floor(((place ?? 0) - hexBytes / 2) / 16) * 16);
  return hexOf(body, from, hexBytes, place);
}

/** The bytes that were read; undefined if the body was transformed before, so that offsets do not apply to its bytes on the wire. */
function bodyAsRead(
  { body }: DeliveredMessage,
  { contentEncodings, encryptionKeyId, claimCheck }: Report,
): Uint8Array | undefined {
  const isAsRead = contentEncodings.length === 0 && encryptionKeyId === undefined && claimCheck === undefined;
  return isAsRead && body instanceof Uint8Array ? body : undefined;
}

/** What a serializer that was asked for makes of a body. */
interface AskedReading {
  readonly outcome: DeserializationOutcome;
  /** Why the chain refuses the value all the same: its message type, a version or a schema of the chain. */
  readonly refused?: DeserializationAttempt | undefined;
}

/**
 * Reads a message with a serializer, or the chain. A value that only the checks of the chain refuse is read without them. Rejects with `RequestError`
 * for a serializer that the chain does not have.
 */
async function readAsAsked(
  context: ExplorerContext,
  message: DeliveredMessage,
  name: string | undefined,
  abortSignal?: AbortSignal,
): Promise<AskedReading> {
  if (name === undefined) return { outcome: await readMessage(context, message, { abortSignal }) };
  const options = { abortSignal, readAs: { serializer: name } };
  try {
    const outcome = await readMessage(context, message, options);
    const serializer = context.pipeline.serializers.find((each) => each.name === name);
    if (outcome.status !== "undeserializable" || serializer === undefined) return { outcome };
    const unchecked = await readMessage({ pipeline: createPipeline({ serializer }) }, message, options);
    return unchecked.status === "decoded"
      ? { outcome: unchecked, refused: decisiveAttempt(outcome.report) }
      : { outcome };
  } catch (error) {
    if (error instanceof WaybillError || error instanceof TypeError)
      throw new RequestError(400, error.message);
    throw error;
  }
}

function readingView(
  { pipeline }: ExplorerContext,
  outcome: DeserializationOutcome,
  {
    readAs,
    refused,
    travelled,
  }: Pick<AskedReading, "refused"> & { readAs: string | undefined; travelled: Uint8Array | undefined },
) {
  const { report } = outcome;
  const origin = looksLike(outcome);
  const decisive = outcome.status === "decoded" ? undefined : decisiveAttempt(report);
  const { attempts, contentType: _, isEmpty = false, ...shown } = report;
  return {
    status: outcome.status,
    /** The serializer that was requested instead of the chain: consumers may get another value. */
    readAs,
    /** Why the chain refuses what that serializer reads. */
    refused: refused && attemptView(refused, travelled),
    ...shown,
    isEmpty,
    /** The schema that the value was checked against, as text. */
    schema: schemaText(pipeline, report),
    reason: outcome.status === "undeserializable" ? outcome.reason : undefined,
    /** What a body looks like that cannot be read, or that is an envelope whose label was lost, with what would read it. */
    looksLike: origin && originText(origin),
    attempts: attempts.map((attempt) => attemptView(attempt, travelled)),
    /** The index in `attempts` of the attempt that got furthest; -1 for none. */
    decisive: decisive === undefined ? -1 : attempts.indexOf(decisive),
    value: outcome.status === "decoded" && !isEmpty ? valueTree(outcome.body) : undefined,
    /** The error code if something was unavailable. */
    error: outcome.status === "unavailable" ? outcome.error.code : undefined,
  };
}

/** The schema that the value was checked against, as far as the chain reports it. */
function schemaText(
  pipeline: ExplorerContext["pipeline"],
  { serializer: name, messageType, messageVersion }: Report,
): string | undefined {
  const serializer = pipeline.serializers.find((each) => each.name === name);
  if (serializer === undefined) return undefined;
  if (messageType !== undefined && pipeline.messageTypes.some((type) => type.name === messageType))
    return `${messageType} version ${messageVersion}`;
  if (serializer.validation === "schema") return `a schema of the serializer ${name}`;
  return serializer.validation === "format" ? `the format's own schema (${name})` : undefined;
}

function recordOf(message: DeliveredMessage, travelled: Uint8Array | undefined) {
  const record = parseDeadLetterRecord(message);
  return (
    record && {
      reason: record.reason,
      deadLetteredAt: instant(record.deadLetteredAt),
      consumerVersion: record.consumerVersion,
      attempts: record.attempts.map((attempt) => attemptView(attempt, travelled)),
    }
  );
}

function propertiesOf(message: DeliveredMessage): PropertyView[] {
  const { applicationProperties: _, body: __, settlement: ___, lockToken: ____, ...properties } = message;
  const texts = {
    ...properties,
    messageId: idText(message.messageId),
    correlationId: idText(message.correlationId),
  };
  return Object.entries(texts).flatMap(([name, value]) =>
    value === undefined ? [] : [propertyView([name, value])],
  );
}

function propertyView([name, value]: readonly [string, unknown]): PropertyView {
  const node = valueTree(value, { limits: { ...treeLimits, maxItems: 0 } });
  const isLeaf = node !== undefined && "text" in node;
  return { name: name.slice(0, 256), value: isLeaf ? node : { kind: "other", text: "(object)" } };
}
