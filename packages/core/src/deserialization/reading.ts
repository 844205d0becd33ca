import { bodySection } from "../body.js";
import { claimCheckProperty } from "../claim-check/claim-check.js";
import { contentEncodingOf, decompress, parseContentEncoding } from "../compression.js";
import { encryptionProperty } from "../encryption/encrypt.js";
import type { ApplicationProperties, EncodedMessage } from "../message.js";
import { bringUp } from "../message-types/bring-up.js";
import type { KnownVersion, MessageTypeRegistry } from "../message-types/message-type-registry.js";
import type { Awaitable } from "../serializer.js";
import { attempt, isPromise, toFailure } from "./attempt.js";
import type { Chain, ChainLink, Selection } from "./chain.js";
import { decodeFailure, validationFailure } from "./failure.js";
import type { ResolvedPipelineOptions } from "./options.js";
import type { DeserializationOutcome } from "./outcome.js";
import type { DeserializeCallOptions, ReadTarget } from "./pipeline.js";
import type { ReasonCode } from "./reason.js";
import type { DeserializationAttempt, DeserializationReport } from "./report.js";
import { undeserializable } from "./undeserializable.js";
import { isSet, type Seals, unseal } from "./unseal.js";

const none: readonly never[] = Object.freeze([]);
const noProperties: ApplicationProperties = Object.freeze({});

const selectionNotes: Readonly<
  Record<Exclude<Selection["kind"], "declared">, readonly [ReasonCode, string]>
> = {
  missing: ["content-type-missing", "The message has no content type."],
  malformed: ["content-type-malformed", "The content type is not a media type."],
  unknown: ["content-type-unknown", "No serializer claims the content type."],
};

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
  readonly #isSealed: boolean;
  readonly #startedAt = performance.now();
  readonly #selection: Selection;
  /** The version the message says it is of; undefined for an untyped message. */
  #known: KnownVersion | undefined;
  #upcastPath: readonly number[] = none;
  #attempts: DeserializationAttempt[] | undefined;
  #contentEncodings: readonly string[] = none;
  #seals: Seals | undefined;
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
    this.#isSealed = call?.isSealed ?? true;
    this.#selection = chain.select(message.contentType);
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
    const isEncrypted = this.#isSealed && isSet(applicationProperties[encryptionProperty]);
    if (isPlaintextRefused && this.#isSealed && !isEncrypted) {
      return this.#refusedFor(
        undefined,
        decodeFailure("plaintext-refused", "The body is not encrypted, and only encrypted ones are read."),
      );
    }
    if (!(body instanceof Uint8Array)) {
      return isEncrypted ? this.#refusedFor(undefined, notEncrypted()) : this.#received(body.value);
    }
    if (body.length > this.#options.maxBodyBytes) {
      this.#note(undefined, "body-too-large", `The body is larger than ${this.#options.maxBodyBytes} bytes.`);
      return this.#refused();
    }
    const isElsewhere = this.#isSealed && isSet(applicationProperties[claimCheckProperty]);
    if (!isEncrypted && !isElsewhere) return this.#unpack(body);
    this.#seals = { claimCheck: undefined, encryptionKeyId: undefined, encryptionBinding: undefined };
    return unseal(body, this.#message, this.#options, this.#seals, this.#signal).then(
      (plain) => this.#unpack(plain),
      (error: unknown) => this.#refusedFor(undefined, error),
    );
  }

  #unpack(body: Uint8Array): Awaitable<DeserializationOutcome> {
    const encoding = contentEncodingOf(this.#message.applicationProperties);
    return encoding === undefined ? this.#choose(body) : this.#decompress(body, encoding);
  }

  /** A value of an AMQP value or sequence section, which no serializer had to read. */
  #received(value: unknown): Awaitable<DeserializationOutcome> {
    try {
      return this.#decoded(this.#checked(value), undefined);
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
    if (this.#readAs?.serializer !== undefined) {
      return this.#chooseNamed(this.#readAs.serializer, this.#readAs.isDeclared ?? true, bytes);
    }
    const selection = this.#selection;
    if (selection.kind === "declared") {
      const { link } = selection;
      const value = this.#attempt(link, bytes, true);
      return isPromise(value)
        ? value.then((settled) => this.#afterDeclared(settled, link, bytes))
        : this.#afterDeclared(value, link, bytes);
    }
    const { kind } = selection;
    const policy = kind === "missing" ? this.#options.contentType.missing : this.#options.contentType.unknown;
    if (kind !== "missing" || policy === "reject") this.#note(undefined, ...selectionNotes[kind]);
    return policy === "reject" ? this.#refused() : this.#guess(bytes, undefined);
  }

  #chooseNamed(name: string, isDeclared: boolean, bytes: Uint8Array): Awaitable<DeserializationOutcome> {
    const link = this.#chain.links.find(({ serializer }) => serializer.name === name);
    if (link === undefined) throw new TypeError(`No serializer of the pipeline is named "${name}".`);
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

  #afterDeclared(value: unknown, link: ChainLink, bytes: Uint8Array): Awaitable<DeserializationOutcome> {
    if (value !== failed) return this.#decoded(value, link);
    if (this.#unavailable !== undefined || this.#options.contentType.mismatch === "reject")
      return this.#refused();
    return this.#guess(bytes, link);
  }

  /** Nobody is declared, or the declared one failed: the bytes must show whose they are. */
  #guess(bytes: Uint8Array, declared: ChainLink | undefined): Awaitable<DeserializationOutcome> {
    if (bytes.length === 0) {
      this.#note(undefined, "body-empty", "The body is empty.");
      return this.#refused();
    }
    const candidates = this.#chain.candidates(bytes[0]!);
    return this.#tryCandidates(candidates, 0, bytes, declared);
  }

  #tryCandidates(
    candidates: readonly ChainLink[],
    from: number,
    bytes: Uint8Array,
    declared: ChainLink | undefined,
  ): Awaitable<DeserializationOutcome> {
    for (let index = from; index < candidates.length; index++) {
      const link = candidates[index]!;
      // What failed under its own label cannot pass under the stricter rules for unlabelled bodies.
      if (link === declared) continue;
      const value = this.#attempt(link, bytes, false);
      if (isPromise(value)) {
        return value.then((settled) => {
          if (settled !== failed) return this.#decoded(settled, link);
          if (this.#unavailable !== undefined) return this.#refused();
          return this.#tryCandidates(candidates, index + 1, bytes, declared);
        });
      }
      if (value !== failed) return this.#decoded(value, link);
      if (this.#unavailable !== undefined) return this.#refused();
    }
    this.#noteUnrecognized(candidates, declared);
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
    };
    try {
      const value = attempt(link.serializer, bytes, context, this.#options.attemptTimeoutMs);
      return isPromise(value)
        ? value.then((settled) => this.#checked(settled)).catch((error: unknown) => this.#fail(link, error))
        : this.#checked(value);
    } catch (error) {
      return this.#fail(link, error);
    }
  }

  /** Validates against the writer's version, whatever the format. Part of the attempt: a refusal leaves the body to the next. */
  #checked(value: unknown): unknown {
    const check = this.#known?.version.check;
    if (check === undefined) return value;
    const result = check(value);
    if (!result.isValid) throw validationFailure(result.text);
    return result.value;
  }

  #fail(link: ChainLink | undefined, error: unknown): typeof failed {
    const failure = toFailure(error);
    if (failure.reason === "unavailable") this.#unavailable = failure;
    this.#push({
      serializer: link?.serializer.name,
      position: link?.position ?? -1,
      stage: failure.stage ?? "decode",
      reason: failure.reason ?? "serializer-fault",
      detail: failure.text,
    });
    return failed;
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

  #noteUnrecognized(tried: readonly ChainLink[], declared: ChainLink | undefined): void {
    for (const link of this.#chain.links) {
      if (link === declared || tried.includes(link)) continue;
      const detail =
        link.serializer.detection === "label"
          ? "It reads only bodies whose content type names it."
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
      return this.#upcast(this.#checked(opened.body), link);
    } catch (error) {
      return this.#refusedFor(link, error);
    }
  }

  #upcast(body: unknown, link: ChainLink | undefined): Awaitable<DeserializationOutcome> {
    const known = this.#known;
    if (known === undefined || known.version.upcasts.length === 0) return this.#done(body, link);
    const finish = (upcast: unknown) => {
      this.#upcastPath = known.version.upcastPath;
      return this.#done(upcast, link);
    };
    try {
      const upcast = bringUp(body, known, {
        serializer: link?.serializer.name,
        applicationProperties: this.#message.applicationProperties ?? noProperties,
        signal: this.#signal,
        timeoutMs: this.#options.attemptTimeoutMs,
      });
      if (!isPromise(upcast)) return finish(upcast);
      return upcast.then(finish, (error: unknown) => this.#refusedFor(link, error));
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
      contentType,
      messageType: this.#known?.type.name,
      messageVersion: this.#known?.version.version,
      upcastPath: this.#upcastPath,
      section: bodySection(body),
      attempts: this.#attempts ?? none,
      contentEncodings: this.#contentEncodings,
      claimCheck: this.#seals?.claimCheck,
      encryptionKeyId: this.#seals?.encryptionKeyId,
      encryptionBinding: this.#seals?.encryptionBinding,
      bytes: body instanceof Uint8Array ? body.length : 0,
      durationMs: performance.now() - this.#startedAt,
    };
  }
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
