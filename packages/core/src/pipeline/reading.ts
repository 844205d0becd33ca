import { claimCheckProperty } from "../body-transforms/claim-check.js";
import { contentEncodingOf, decompress, parseContentEncoding } from "../body-transforms/compression.js";
import { encryptionProperty } from "../body-transforms/encrypt.js";
import type { BodyCheck } from "../contracts/body-schema.js";
import type { Awaitable } from "../contracts/serializer.js";
import type { WaybillError } from "../errors/error.js";
import { decodeFailure, validationFailure } from "../errors/failure.js";
import type { ReasonCode } from "../errors/reason.js";
import { toFailure } from "../errors/to-failure.js";
import { printable } from "../errors/wire-text.js";
import { isPromise } from "../foundation/is-promise.js";
import { bodySection } from "../message/body.js";
import type { ApplicationProperties, EncodedMessage } from "../message/message.js";
import type { DeserializationOutcome } from "../message/outcome.js";
import type { DeserializationAttempt, DeserializationReport } from "../message/report.js";
import type { KnownVersion, MessageTypeRegistry } from "../message-types/message-type-registry.js";
import { upcastBody } from "../message-types/upcast.js";
import { plainAmqpValue } from "./amqp-value.js";
import { attempt } from "./attempt.js";
import type { Chain, ChainLink, Selection } from "./chain.js";
import type { ResolvedPipelineOptions } from "./options.js";
import type { DeserializeCallOptions, ReadTarget } from "./pipeline.js";
import { undeclared } from "./undeclared.js";
import { undeserializable } from "./undeserializable.js";
import { type AppliedTransforms, isSet, lostTransform, undoBodyTransforms } from "./undo-body-transforms.js";

const encoder = new TextEncoder();
const none: readonly never[] = Object.freeze([]);
const noProperties: ApplicationProperties = Object.freeze({});

const tightenedNote =
  "That is less than usual: the message was delivered before, and neither settled nor given back.";

/** Says that an attempt failed; what failed stands in the list of attempts. */
const failed = Symbol("failed");

/**
 * The reading of one body, from its wire form to an outcome: fetch, decrypt, decompress, select, attempt. Everything stays synchronous as long as
 * the plug-ins do.
 */
export class Reading {
  readonly #chain: Chain;
  readonly #options: ResolvedPipelineOptions;
  readonly #message: EncodedMessage;
  readonly #signal: AbortSignal | undefined;
  readonly #readAs: ReadTarget | undefined;
  readonly #bodyTransforms: boolean;
  readonly #startedAt = performance.now();
  readonly #selection: Selection;
  /** The serializer whose format a policy assumes. */
  #assumed: ChainLink | undefined;
  #isEmpty = false;
  /** The version the message says it is of; undefined for an untyped message. */
  #known: KnownVersion | undefined;
  #upcastPath: readonly number[] = none;
  #attempts: DeserializationAttempt[] | undefined;
  #contentEncodings: readonly string[] = none;
  #transforms: AppliedTransforms | undefined;
  #unavailable: ReturnType<typeof toFailure> | undefined;

  constructor(
    chain: Chain,
    options: ResolvedPipelineOptions,
    message: EncodedMessage,
    call: DeserializeCallOptions | undefined,
  ) {
    this.#chain = chain;
    this.#options = options;
    this.#message = message;
    this.#signal = call?.abortSignal;
    this.#readAs = call?.readAs;
    this.#bodyTransforms = call?.bodyTransforms ?? true;
    this.#selection = chain.selectFor(message);
  }

  /** Reads the body. Never throws and never rejects because of the body. */
  run(): Awaitable<DeserializationOutcome> {
    const { messageTypes, isPlaintextRefused } = this.#options;
    if (messageTypes !== undefined) {
      try {
        this.#known = messageTypes.identify(this.#message, this.#readAs?.version);
      } catch (error) {
        return this.#refusedFor(undefined, error);
      }
    }
    const { body, applicationProperties = noProperties } = this.#message;
    const isEncrypted = this.#bodyTransforms && isSet(applicationProperties[encryptionProperty]);
    if (isPlaintextRefused && this.#bodyTransforms && !isEncrypted) {
      return this.#refusedFor(
        undefined,
        decodeFailure("plaintext-refused", "The body is not encrypted, and only encrypted ones are read."),
      );
    }
    if (!(body instanceof Uint8Array)) {
      return isEncrypted ? this.#refusedFor(undefined, notEncrypted()) : this.#readValue(body.value);
    }
    if (body.length > this.#options.maxBodyBytes) {
      const text = `The body is larger than ${this.#options.maxBodyBytes} bytes.`;
      this.#note(undefined, "body-too-large", this.#withLimits(text, "body-too-large"));
      return this.#refused();
    }
    const isElsewhere = this.#bodyTransforms && isSet(applicationProperties[claimCheckProperty]);
    if (!isEncrypted && !isElsewhere) {
      const lost =
        body.length === 0 && this.#bodyTransforms ? lostTransform(applicationProperties) : undefined;
      return lost === undefined ? this.#unpack(body) : this.#refusedFor(undefined, lost);
    }
    this.#transforms = { claimCheck: undefined, encryptionKeyId: undefined, encryptionBinding: undefined };
    return undoBodyTransforms(body, this.#message, this.#options, this.#transforms, this.#signal).then(
      (plain) => this.#unpack(plain),
      (error: unknown) => this.#refusedFor(undefined, error),
    );
  }

  #unpack(body: Uint8Array): Awaitable<DeserializationOutcome> {
    const encoding = contentEncodingOf(this.#message.applicationProperties);
    return encoding === undefined || body.length === 0
      ? this.#choose(body)
      : this.#decompress(body, encoding);
  }

  /**
   * A value of an AMQP value or sequence section. A text, or bytes, that a content type says more of is what others send in a data section: JMS
   * and Qpid write texts so.
   */
  #readValue(value: unknown): Awaitable<DeserializationOutcome> {
    const isNamed = this.#selection.kind === "declared" || this.#readAs?.serializer !== undefined;
    if (isNamed && typeof value === "string") return this.#choose(encoder.encode(value));
    if (isNamed && value instanceof Uint8Array) return this.#unpack(value);
    const { maxDepth, maxItemsIn } = this.#options;
    try {
      return this.#received(
        plainAmqpValue(value, { maxDepth, maxItems: maxItemsIn(Number.MAX_SAFE_INTEGER) }),
      );
    } catch (error) {
      return this.#refusedFor(undefined, error);
    }
  }

  /** A value that no serializer had to read. */
  #received(value: unknown): Awaitable<DeserializationOutcome> {
    try {
      return this.#decoded(this.#checked(value, undefined), undefined);
    } catch (error) {
      return this.#refusedFor(undefined, error);
    }
  }

  #decompress(body: Uint8Array, encoding: unknown): Awaitable<DeserializationOutcome> {
    let bytes: Awaitable<Uint8Array>;
    try {
      const codings = parseContentEncoding(encoding);
      this.#contentEncodings = codings;
      bytes = body;
      for (const coding of codings) {
        bytes = chained(bytes, (input) => decompress(coding, input, this.#options.maxDecompressedBytes));
      }
    } catch (error) {
      return this.#refusedFor(undefined, error);
    }
    if (!isPromise(bytes)) return this.#choose(bytes);
    return bytes.then(
      (plain) => this.#choose(plain),
      (error: unknown) => this.#refusedFor(undefined, error),
    );
  }

  #choose(bytes: Uint8Array): Awaitable<DeserializationOutcome> {
    if (bytes.length === 0 && !this.#isEmptyValue()) {
      this.#isEmpty = true;
      return this.#received(undefined);
    }
    if (this.#readAs?.serializer !== undefined) {
      return this.#chooseNamed(this.#readAs.serializer, this.#readAs.isDeclared ?? true, bytes);
    }
    const selection = this.#selection;
    return selection.kind === "declared"
      ? this.#ask(selection.link, bytes)
      : this.#chooseUndeclared(selection.kind, bytes);
  }

  /** Whether no bytes at all are a value of the format that the message names, such as the empty text. */
  #isEmptyValue(): boolean {
    const name = this.#readAs?.serializer;
    const link = name === undefined ? this.#selection.link : this.#link(name);
    return link?.serializer.readsEmptyBodies === true && this.#readAs?.isDeclared !== false;
  }

  #chooseUndeclared(kind: keyof typeof undeclared, bytes: Uint8Array): Awaitable<DeserializationOutcome> {
    const { policy: name, reason, detail } = undeclared[kind];
    const policy = this.#options.contentTypePolicies[name];
    if (kind !== "missing" || policy === "reject") this.#note(undefined, reason, detail);
    if (policy === "reject") return this.#refused();
    if (typeof policy === "string") return this.#guess(bytes, undefined);
    this.#assumed = this.#chain.links[policy.position];
    return this.#assumed === undefined ? this.#refused() : this.#ask(this.#assumed, bytes);
  }

  /** Lets the serializer read the body that the content type names or a policy assumes. */
  #ask(link: ChainLink, bytes: Uint8Array): Awaitable<DeserializationOutcome> {
    const value = this.#attempt(link, bytes, true);
    return isPromise(value)
      ? value.then((settled) => this.#answered(settled, link, bytes))
      : this.#answered(value, link, bytes);
  }

  #chooseNamed(name: string, isDeclared: boolean, bytes: Uint8Array): Awaitable<DeserializationOutcome> {
    const link = this.#link(name);
    const isCandidate = isDeclared || this.#chain.candidates(bytes[0] ?? -1).includes(link);
    if (!isCandidate) {
      this.#noteUnrecognized(none, undefined);
      return this.#refused();
    }
    const value = this.#attempt(link, bytes, isDeclared);
    const settle = (settled: unknown) =>
      settled === failed ? this.#refused() : this.#decoded(settled, link);
    return isPromise(value) ? value.then(settle) : settle(value);
  }

  #link(name: string): ChainLink {
    const link = this.#chain.links.find(({ serializer }) => serializer.name === name);
    if (link === undefined) throw new TypeError(`No serializer of the pipeline is named "${name}".`);
    return link;
  }

  #answered(value: unknown, link: ChainLink, bytes: Uint8Array): Awaitable<DeserializationOutcome> {
    if (value !== failed) return this.#decoded(value, link);
    if (this.#unavailable !== undefined) return this.#refused();
    const isFinal = this.#assumed === undefined && this.#options.contentTypePolicies.mismatch === "reject";
    return isFinal ? this.#refused() : this.#guess(bytes, link);
  }

  /** Nobody is named, or the one that is failed: the bytes must show whose they are. */
  #guess(bytes: Uint8Array, asked: ChainLink | undefined): Awaitable<DeserializationOutcome> {
    if (bytes.length === 0) {
      this.#note(undefined, "body-empty", "The body is empty.");
      return this.#refused();
    }
    const candidates = this.#chain.candidates(bytes[0]!);
    const isLabelBelieved =
      this.#selection.kind === "foreign" && this.#options.contentTypePolicies.foreign !== "try-all";
    const possible = isLabelBelieved
      ? candidates.filter(({ serializer }) => serializer.detection === "magic")
      : candidates;
    return this.#tryCandidates(possible, 0, bytes, asked);
  }

  #tryCandidates(
    candidates: readonly ChainLink[],
    from: number,
    bytes: Uint8Array,
    asked: ChainLink | undefined,
  ): Awaitable<DeserializationOutcome> {
    for (let index = from; index < candidates.length; index++) {
      const link = candidates[index]!;
      // What failed under its own label cannot pass under the stricter rules for unlabelled bodies.
      if (link === asked) continue;
      const value = this.#attempt(link, bytes, false);
      if (isPromise(value)) {
        return value.then((settled) => {
          if (settled !== failed) return this.#decoded(settled, link);
          if (this.#unavailable !== undefined) return this.#refused();
          return this.#tryCandidates(candidates, index + 1, bytes, asked);
        });
      }
      if (value !== failed) return this.#decoded(value, link);
      if (this.#unavailable !== undefined) return this.#refused();
    }
    this.#noteUnrecognized(candidates, asked);
    return this.#refused();
  }

  #attempt(link: ChainLink, bytes: Uint8Array, isDeclared: boolean): unknown {
    const message = this.#message;
    const known = this.#known;
    const context = {
      messageType: known === undefined ? message.subject : known.type.name,
      messageVersion: known?.version.version,
      schema: known?.version.schemas[link.serializer.name],
      contentType: message.contentType,
      mediaType: this.#selection.mediaType,
      applicationProperties: message.applicationProperties ?? noProperties,
      signal: this.#signal,
      isDeclared,
      maxDepth: this.#options.maxDepth,
      maxItems: this.#options.maxItemsIn(bytes.length),
    };
    try {
      const value = attempt(link.serializer, bytes, context, this.#options.attemptTimeoutInMs);
      return isPromise(value)
        ? value
            .then((settled) => this.#checked(settled, link))
            .catch((error: unknown) => this.#fail(link, error))
        : this.#checked(value, link);
    } catch (error) {
      return this.#fail(link, error);
    }
  }

  /**
   * Validates against the writer's version of the message type and against the pipeline's own schema, whatever the format. Part of the
   * attempt: a refusal leaves the body to the next serializer.
   */
  #checked(value: unknown, link: ChainLink | undefined): unknown {
    const known = this.#known;
    let body = valid(known?.version.check, value);
    // A message without a body is of no format, whose schema it could break.
    if (known !== undefined && !this.#isEmpty) body = valid(known.guardFor(link?.serializer.name), body);
    // What is in an envelope, or of an older version, is not yet what handlers get.
    const isPending =
      known === undefined ? this.#options.messageTypes?.open !== undefined : hasUpcasts(known);
    return isPending ? body : this.#guarded(body);
  }

  /** Validates what handlers get against the schema of the pipeline. */
  #guarded(body: unknown): unknown {
    const { bodySchemas } = this.#options;
    if (bodySchemas === undefined) return body;
    const message = this.#message;
    const check = bodySchemas.checkFor({
      messageType: this.#known === undefined ? message.subject : this.#known.type.name,
      messageVersion: this.#known?.type.version,
      contentType: message.contentType,
      mediaType: this.#selection.mediaType,
      applicationProperties: message.applicationProperties ?? noProperties,
      signal: this.#signal,
    });
    return valid(check, body);
  }

  #fail(link: ChainLink | undefined, error: unknown): typeof failed {
    const failure = toFailure(error);
    if (failure.reason === "unavailable") this.#unavailable = failure;
    this.#push({
      serializer: link?.serializer.name,
      position: link?.position ?? -1,
      stage: failure.stage ?? "decode",
      reason: failure.reason ?? "serializer-fault",
      detail: printable(this.#withLimits(failure.text, failure.reason)),
      ...faultOf(failure),
    });
    return failed;
  }

  /** Says of a body that breaks a tightened limit why it was tightened. */
  #withLimits(text: string, reason: ReasonCode | undefined): string {
    const isOfLimits = reason === "items-exceeded" || reason === "body-too-large";
    return this.#options.isTightened && isOfLimits ? `${text} ${tightenedNote}` : text;
  }

  #note(link: ChainLink | undefined, reason: ReasonCode, detail: string): void {
    this.#push({
      serializer: link?.serializer.name,
      position: link?.position ?? -1,
      stage: "select",
      reason,
      detail,
    });
  }

  #noteUnrecognized(tried: readonly ChainLink[], asked: ChainLink | undefined): void {
    for (const link of this.#chain.links) {
      if (link === asked || tried.includes(link)) continue;
      const detail =
        link.serializer.detection === "label"
          ? "It reads only bodies whose content type names it."
          : this.#selection.kind === "foreign" && link.serializer.detection === "structure"
            ? "It has no header by which it would be known under the label of another format."
            : "The body does not start like this format.";
      this.#note(link, "not-recognized", detail);
    }
  }

  #push(entry: DeserializationAttempt): void {
    if (this.#attempts === undefined) this.#attempts = [entry];
    else this.#attempts.push(entry);
  }

  #decoded(body: unknown, link: ChainLink | undefined): Awaitable<DeserializationOutcome> {
    const { messageTypes } = this.#options;
    if (messageTypes === undefined) return this.#done(body, link);
    if (this.#known === undefined && messageTypes.open !== undefined) {
      return this.#open(body, link, messageTypes.open);
    }
    return this.#upcast(body, link);
  }

  /** The properties did not say the type; an envelope around the body may. */
  #open(
    value: unknown,
    link: ChainLink | undefined,
    open: NonNullable<MessageTypeRegistry["open"]>,
  ): Awaitable<DeserializationOutcome> {
    try {
      const opened = open(value, this.#message);
      this.#known = opened.known;
      const check = opened.known?.checkOpened(link?.serializer.name);
      const body = valid(check, opened.body);
      const isOlder = opened.known !== undefined && hasUpcasts(opened.known);
      return this.#upcast(isOlder ? body : this.#guarded(body), link);
    } catch (error) {
      return this.#refusedFor(link, error);
    }
  }

  #upcast(body: unknown, link: ChainLink | undefined): Awaitable<DeserializationOutcome> {
    const known = this.#known;
    if (known === undefined || !hasUpcasts(known)) return this.#done(body, link);
    const finish = (upcast: unknown) => {
      // Where there is no body there was nothing to upcast.
      if (body !== undefined) this.#upcastPath = known.version.upcastPath;
      return this.#done(this.#guarded(upcast), link);
    };
    try {
      const upcast = upcastBody(body, known, {
        serializer: link?.serializer.name,
        applicationProperties: this.#message.applicationProperties ?? noProperties,
        signal: this.#signal,
        timeoutMs: this.#options.attemptTimeoutInMs,
      });
      if (!isPromise(upcast)) return finish(upcast);
      return upcast.then(finish).catch((error: unknown) => this.#refusedFor(link, error));
    } catch (error) {
      return this.#refusedFor(link, error);
    }
  }

  #done(body: unknown, link: ChainLink | undefined): DeserializationOutcome {
    return { status: "decoded", body, report: this.#report(link) };
  }

  #refusedFor(link: ChainLink | undefined, error: unknown): DeserializationOutcome {
    this.#fail(link, error);
    return this.#refused();
  }

  #refused(): DeserializationOutcome {
    const report = this.#report(undefined);
    if (this.#unavailable !== undefined) return { status: "unavailable", error: this.#unavailable, report };
    return undeserializable(report);
  }

  #report(winner: ChainLink | undefined): DeserializationReport {
    const { body, contentType } = this.#message;
    return {
      serializer: winner?.serializer.name,
      position: winner?.position ?? -1,
      declared: this.#selection.link?.serializer.name,
      assumed: this.#assumed?.serializer.name,
      isEmpty: this.#isEmpty,
      // Programs without types may have handed over anything.
      contentType: typeof contentType === "string" ? contentType : undefined,
      messageType: this.#known?.type.name,
      messageVersion: this.#known?.version.version,
      upcastPath: this.#upcastPath,
      section: bodySection(body),
      attempts: this.#attempts ?? none,
      contentEncodings: this.#contentEncodings,
      claimCheck: this.#transforms?.claimCheck,
      encryptionKeyId: this.#transforms?.encryptionKeyId,
      encryptionBinding: this.#transforms?.encryptionBinding,
      bytes: body instanceof Uint8Array ? body.length : 0,
      durationInMs: performance.now() - this.#startedAt,
    };
  }
}

function hasUpcasts({ version }: KnownVersion): boolean {
  return version.upcasts.length > 0;
}

function valid(check: BodyCheck | undefined, value: unknown): unknown {
  if (check === undefined) return value;
  const result = check(value);
  if (!result.isValid) throw validationFailure(result.text);
  return result.value;
}

/** Only bytes can be encrypted: a label on anything else would let plaintext pass for a body that was. */
function notEncrypted(): Error {
  return decodeFailure("encryption-malformed", "The body is labelled as encrypted and is no bytes.");
}

function chained(
  input: Awaitable<Uint8Array>,
  step: (bytes: Uint8Array) => Awaitable<Uint8Array>,
): Awaitable<Uint8Array> {
  return isPromise(input) ? input.then(step) : step(input);
}

/** Where code of the application's threw: its stack, which says nothing of the body. Other causes stay out. */
function faultOf({ reason, cause }: WaybillError): Pick<DeserializationAttempt, "cause"> {
  const isFault = reason === "serializer-fault" || reason === "upcast-failed";
  return isFault && cause instanceof Error ? { cause } : {};
}
