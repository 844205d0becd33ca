import type { WaybillError } from "../errors/error.js";
import type { ReasonCode } from "../errors/reason.js";
import { toFailure } from "../errors/to-failure.js";
import { printable } from "../errors/wire-text.js";
import { bodySection } from "../message/body.js";
import type { ApplicationProperties, EncodedMessage } from "../message/message.js";
import type { DeserializationOutcome } from "../message/outcome.js";
import type { DeserializationAttempt, DeserializationReport } from "../message/report.js";
import type { KnownVersion } from "../message-types/message-type-registry.js";
import type { Chain, ChainLink, Selection } from "./chain.js";
import type { ResolvedPipelineOptions } from "./options.js";
import type { DeserializeCallOptions, ReadTarget } from "./pipeline.js";
import { undeserializable } from "./undeserializable.js";
import type { AppliedTransforms } from "./undo-body-transforms.js";

const none: readonly never[] = Object.freeze([]);
export const noProperties: ApplicationProperties = Object.freeze({});

const tightenedNote =
  "That is less than usual: the message was delivered before, and neither settled nor given back.";

/** The result of a failed attempt; the failure is in the list of attempts. */
export const failed = Symbol("failed");

/** The state of reading one body: the input of the stages, their results, and the outcome. */
export class Reading {
  readonly chain: Chain;
  readonly options: ResolvedPipelineOptions;
  readonly message: EncodedMessage;
  readonly abortSignal: AbortSignal | undefined;
  readonly readAs: ReadTarget | undefined;
  readonly bodyTransforms: boolean;
  readonly selection: Selection;
  /** The serializer whose format a policy assumes. */
  assumed: ChainLink | undefined;
  isEmpty = false;
  /** The version of the received message; undefined for an untyped message. */
  known: KnownVersion | undefined;
  upcastPath: readonly number[] = none;
  contentEncodings: readonly string[] = none;
  transforms: AppliedTransforms | undefined;
  readonly #startedAt = performance.now();
  #attempts: DeserializationAttempt[] | undefined;
  #unavailable: ReturnType<typeof toFailure> | undefined;

  constructor(
    chain: Chain,
    options: ResolvedPipelineOptions,
    message: EncodedMessage,
    call: DeserializeCallOptions | undefined,
  ) {
    this.chain = chain;
    this.options = options;
    this.message = message;
    this.abortSignal = call?.abortSignal;
    this.readAs = call?.readAs;
    this.bodyTransforms = call?.bodyTransforms ?? true;
    this.selection = chain.selectFor(message);
  }

  /** Whether a dependency was unavailable: nothing else is tried then. */
  get isUnavailable(): boolean {
    return this.#unavailable !== undefined;
  }

  /** Records the failure of a stage or of a serializer. */
  fail(link: ChainLink | undefined, error: unknown): typeof failed {
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

  /** Records why a serializer, or none at all, was tried. */
  note(link: ChainLink | undefined, reason: ReasonCode, detail: string): void {
    this.#push({
      serializer: link?.serializer.name,
      position: link?.position ?? -1,
      stage: "select",
      reason,
      detail: this.#withLimits(detail, reason),
    });
  }

  decoded(body: unknown, link: ChainLink | undefined): DeserializationOutcome {
    return { status: "decoded", body, report: this.#report(link) };
  }

  refusedFor(link: ChainLink | undefined, error: unknown): DeserializationOutcome {
    this.fail(link, error);
    return this.refused();
  }

  refused(): DeserializationOutcome {
    const report = this.#report(undefined);
    if (this.#unavailable !== undefined) return { status: "unavailable", error: this.#unavailable, report };
    return undeserializable(report);
  }

  /** Adds to the failure of a tightened limit why it was tightened. */
  #withLimits(text: string, reason: ReasonCode | undefined): string {
    const isOfLimits = reason === "items-exceeded" || reason === "body-too-large";
    return this.options.isTightened && isOfLimits ? `${text} ${tightenedNote}` : text;
  }

  #push(entry: DeserializationAttempt): void {
    if (this.#attempts === undefined) this.#attempts = [entry];
    else this.#attempts.push(entry);
  }

  #report(winner: ChainLink | undefined): DeserializationReport {
    const { body, contentType } = this.message;
    return {
      serializer: winner?.serializer.name,
      position: winner?.position ?? -1,
      declared: this.selection.link?.serializer.name,
      assumed: this.assumed?.serializer.name,
      isEmpty: this.isEmpty,
      // Untyped programs may have passed anything.
      contentType: typeof contentType === "string" ? contentType : undefined,
      messageType: this.known?.type.name,
      messageVersion: this.known?.version.version,
      upcastPath: this.upcastPath,
      section: bodySection(body),
      attempts: this.#attempts ?? none,
      contentEncodings: this.contentEncodings,
      claimCheck: this.transforms?.claimCheck,
      encryptionKeyId: this.transforms?.encryptionKeyId,
      encryptionBinding: this.transforms?.encryptionBinding,
      bytes: body instanceof Uint8Array ? body.length : 0,
      durationInMs: performance.now() - this.#startedAt,
    };
  }
}

/** The redacted cause if code of the application threw; other causes are left out. */
function faultOf({ reason, cause }: WaybillError): Pick<DeserializationAttempt, "cause"> {
  const isFault = reason === "serializer-fault" || reason === "upcast-failed";
  return isFault && cause instanceof Error ? { cause } : {};
}
