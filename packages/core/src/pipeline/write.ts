import { afterwards, isPromise, quoted } from "@waybill/foundation";
import {
  type ContentCoding,
  compress,
  contentEncodingOf,
  parseContentEncoding,
  withContentEncoding,
  withoutContentEncoding,
} from "../body-transforms/compression.js";
import type { BodyCheck } from "../contracts/body-schema.js";
import type { Awaitable, SerializeContext, SerializedBody } from "../contracts/serializer.js";
import { withinTime } from "../contracts/within-time.js";
import { WaybillError } from "../errors/error.js";
import { encodeFailure } from "../errors/failure.js";
import { redactedCause } from "../errors/redacted-cause.js";
import type { MediaType } from "../message/media-type.js";
import type { EncodedMessage, Message } from "../message/message.js";
import type { MessageType } from "../message-types/message-type.js";
import type { KnownVersion } from "../message-types/message-type-registry.js";
import {
  checkOfMember,
  checkWithoutSerializer,
  describesBodies,
} from "../message-types/serializer-checks.js";
import { applyBodyTransforms, propertiesWithoutTransforms } from "./apply-body-transforms.js";
import type { SerializeCallOptions } from "./call-options.js";
import type { Chain, ChainLink, Selection } from "./chain.js";
import type { ResolvedPipelineOptions } from "./options.js";
import { optionsToSend, type Prepared, prepare, typeToSend } from "./prepare.js";
import { readBack } from "./read-back.js";
import { noProperties } from "./reading.js";

/**
 * Writes a message's body as its message type and the options of the call require, and sets the content type. Throws or rejects with
 * `serialization-failed` or `message-too-large`.
 */
export function write(
  chain: Chain,
  pipelineOptions: ResolvedPipelineOptions,
  message: Message,
  call: SerializeCallOptions | undefined,
): Awaitable<EncodedMessage> {
  const options = optionsToSend(pipelineOptions, message);
  requireFit(chain, options, message, call?.abortSignal);
  if (options.messageTypes === undefined && call?.writeAs === undefined) {
    return writeMessage(chain, options, { message, known: undefined, member: undefined }, call);
  }
  const prepared = prepare(chain, options, message, call);
  return isPromise(prepared)
    ? prepared.then((ready) => writeMessage(chain, options, ready, call))
    : writeMessage(chain, options, prepared, call);
}

/** Validates a body to send against the schema of the pipeline: of its type's current version, which readers validate, too. */
function requireFit(
  chain: Chain,
  options: ResolvedPipelineOptions,
  message: Message,
  signal: AbortSignal | undefined,
): void {
  const { bodySchemas, messageTypes } = options;
  if (bodySchemas === undefined) return;
  const type = messageTypes && typeToSend(messageTypes, message);
  const { mediaType } = chain.select(message.contentType);
  const check = bodySchemas.checkFor(contextOf(message, type, mediaType, options, signal));
  const result = check?.(message.body);
  if (result === undefined || result.isValid) return;
  throw new WaybillError("serialization-failed", result.text, {
    messageId: message.messageId,
    stage: "validate",
  });
}

function writeMessage(
  chain: Chain,
  options: ResolvedPipelineOptions,
  { message, known, member }: Prepared,
  call: SerializeCallOptions | undefined,
): Awaitable<EncodedMessage> {
  if (message.body === undefined) {
    requireValidEmpty(chain, options, message, known, call?.abortSignal);
    return writeEmpty(options, message, call);
  }
  const selection = chain.select(message.contentType);
  const link = writer(chain, selection, message);
  const { serializer } = link;
  const context = contextOf(message, named(known), selection.mediaType, options, call?.abortSignal);
  if (member === undefined) {
    context.schema = known?.version.schemas[serializer.name];
    requireValid(known?.guardFor(serializer.name), message.body, link, message);
  } else {
    // The schemas describe the body, not the envelope around it.
    requireFitMember(member.body, known, link, message, context);
    context.isEnvelope = describesBodies(serializer);
  }
  let written: Awaitable<SerializedBody>;
  try {
    written = serializer.serialize(message.body, context);
  } catch (error) {
    throw writeFailure(error, link, message);
  }
  // Faster than checking for a promise first.
  if ((written as SerializedBody).bytes !== undefined || !isPromise(written)) {
    return labelled(written as SerializedBody, { chain, link, known }, options, message, call);
  }
  const limit = {
    who: "The serializer",
    timeoutMs: options.attemptTimeoutInMs,
    signal: call?.abortSignal,
  };
  return withinTime(limit, () => written).then(
    (body) => labelled(body, { chain, link, known }, options, message, call),
    (error: unknown) => {
      throw writeFailure(error, link, message);
    },
  );
}

/** The type and version that a body is written as. */
type Named = Pick<MessageType, "name" | "version">;

function named(known: KnownVersion | undefined): Named | undefined {
  return known && { name: known.type.name, version: known.version.version };
}

function contextOf(
  message: Message,
  type: Named | undefined,
  mediaType: MediaType | undefined,
  { maxDepth, maxItemsIn }: ResolvedPipelineOptions,
  abortSignal: AbortSignal | undefined,
): { -readonly [Name in keyof SerializeContext]: SerializeContext[Name] } {
  return {
    messageType: type === undefined ? message.subject : type.name,
    messageVersion: type?.version,
    schema: undefined,
    contentType: message.contentType,
    mediaType,
    applicationProperties: message.applicationProperties ?? noProperties,
    isEnvelope: false,
    abortSignal,
    maxDepth,
    maxItemsIn,
  };
}

/** Readers validate the body in an envelope by these checks. */
function requireFitMember(
  body: unknown,
  known: KnownVersion | undefined,
  link: ChainLink,
  message: Message,
  context: SerializeContext,
): void {
  // Bytes have a format of their own, whose serializer validates them when they are read.
  if (body instanceof Uint8Array) return;
  const { serializer } = link;
  requireValid(checkOfMember([serializer], known, context), body, link, message);
  requireValid(known?.checkOpened(serializer.name), body, link, message);
}

function requireValid(check: BodyCheck | undefined, body: unknown, link: ChainLink, message: Message): void {
  const result = check?.(body);
  if (result?.isValid === false) throw writeFailure(encodeFailure(result.text), link, message);
}

/** Readers validate a missing body, too. */
function requireValidEmpty(
  chain: Chain,
  options: ResolvedPipelineOptions,
  message: Message,
  known: KnownVersion | undefined,
  signal: AbortSignal | undefined,
): void {
  const { link = chain.main, mediaType } = chain.select(message.contentType);
  const context = contextOf(message, named(known), mediaType, options, signal);
  const check = checkWithoutSerializer([link.serializer, ...options.serializers], known, context);
  requireValid(check, undefined, link, message);
}

/** A message without a body has no bytes; its content type is the message's own. */
function writeEmpty(
  options: ResolvedPipelineOptions,
  message: Message,
  call: SerializeCallOptions | undefined,
): Awaitable<EncodedMessage> {
  const contentType = message.contentType || undefined;
  const empty = encodedMessage(withoutContentEncoding(message), new Uint8Array(0), contentType);
  return applyBodyTransforms(empty, options, call);
}

function writer(chain: Chain, selection: Selection, message: Message): ChainLink {
  if (selection.link !== undefined) return selection.link;
  if (selection.kind === "missing") return chain.main;
  throw new WaybillError(
    "serialization-failed",
    `no configured serializer claims the content type ${quoted(String(message.contentType))}; leave contentType out to use ` +
      `"${chain.main.serializer.name}".`,
    { messageId: message.messageId, stage: "select" },
  );
}

/** What decided how a body is written. */
interface WrittenBy {
  readonly chain: Chain;
  readonly link: ChainLink;
  readonly known: KnownVersion | undefined;
}

function labelled(
  written: SerializedBody,
  by: WrittenBy,
  options: ResolvedPipelineOptions,
  message: Message,
  call: SerializeCallOptions | undefined,
): Awaitable<EncodedMessage> {
  const { link } = by;
  const bytes = written?.bytes;
  if (!(bytes instanceof Uint8Array))
    throw writeFailure(
      encodeFailure("serialize returned no bytes; it returns { bytes } with a Uint8Array."),
      link,
      message,
    );
  checkSize(bytes.length, link, options, message);
  const contentType = written.contentType ?? (message.contentType || link.mediaType);
  const codings = codingsFor(bytes, link, options, message);
  const encoded = encodedMessage(message, bytes, contentType);
  return codings === undefined
    ? finished(encoded, by, options, call)
    : afterwards(compressed(bytes, codings, link, options, encoded), (smaller) =>
        finished(smaller, by, options, call),
      );
}

/** The last steps: what is to be sent must be readable, and may be encrypted and stored. */
function finished(
  message: EncodedMessage,
  { chain, link, known }: WrittenBy,
  options: ResolvedPipelineOptions,
  call: SerializeCallOptions | undefined,
): Awaitable<EncodedMessage> {
  const format = link.serializer.name;
  const sample = options.readBacks.of(known?.version, format);
  const isDue = call?.readBack ?? sample.isDue((message.body as Uint8Array).length);
  if (!isDue) return applyBodyTransforms(message, options, call);
  return afterwards(readBack({ message, known, format, sample }, chain, options, call), () =>
    applyBodyTransforms(message, options, call),
  );
}

/** A copy of the message with another body. A loop, because `{ ...message, body }` is slow on this hot path. */
function encodedMessage(message: Message, body: Uint8Array, contentType: string | undefined): EncodedMessage {
  const encoded: Record<string, unknown> = { body, contentType };
  for (const name in message) {
    if (name !== "body" && name !== "contentType") encoded[name] = message[name as keyof Message];
  }
  if (message.applicationProperties !== undefined) {
    encoded.applicationProperties = propertiesWithoutTransforms(message.applicationProperties);
  }
  return encoded as unknown as EncodedMessage;
}

/** The message's own `Content-Encoding`, else the pipeline's option, which does not apply to small bodies. */
function codingsFor(
  bytes: Uint8Array,
  link: ChainLink,
  { compression }: ResolvedPipelineOptions,
  message: Message,
): readonly ContentCoding[] | undefined {
  const requested = contentEncodingOf(message);
  if (requested === undefined) {
    return compression === undefined || bytes.length < compression.minBytes
      ? undefined
      : [compression.coding];
  }
  try {
    const codings = parseContentEncoding(requested);
    return codings.length === 0 ? undefined : codings.toReversed();
  } catch (error) {
    throw writeFailure(error, link, message);
  }
}

function compressed(
  bytes: Uint8Array,
  codings: readonly ContentCoding[],
  link: ChainLink,
  options: ResolvedPipelineOptions,
  message: EncodedMessage,
): Awaitable<EncodedMessage> {
  let output: Awaitable<Uint8Array> = bytes;
  for (const coding of codings) output = afterwards(output, (input) => compress(coding, input));
  const isWished = contentEncodingOf(message) !== undefined;
  const finish = (body: Uint8Array): EncodedMessage => {
    if (!isWished && body.length >= bytes.length) return message;
    checkSize(body.length, link, options, message);
    return { ...withContentEncoding(message, codings), body };
  };
  return afterwards(output, finish);
}

function checkSize(
  bytes: number,
  link: ChainLink,
  { maxBodyBytes }: ResolvedPipelineOptions,
  message: Message,
): void {
  if (bytes <= maxBodyBytes) return;
  throw new WaybillError(
    "message-too-large",
    `the body has ${bytes} bytes, more than the ${maxBodyBytes} that are allowed.`,
    {
      messageId: message.messageId,
      format: link.serializer.name,
    },
  );
}

/** Adds message and format to a serializer's error. Of an error other than `WaybillError` only the stack is kept: its message may quote payload. */
function writeFailure(error: unknown, link: ChainLink, message: Message): WaybillError {
  const known = error instanceof WaybillError ? error : undefined;
  const text =
    known?.text ??
    `the serializer threw an unexpected ${error instanceof Error ? error.name : typeof error}.`;
  const code = known?.code === "unavailable" ? "unavailable" : "serialization-failed";
  return new WaybillError(code, text, {
    messageId: message.messageId,
    format: link.serializer.name,
    cause: known === undefined ? redactedCause(error) : known.cause,
  });
}
