import { authenticatedPart } from "../body-transforms/authenticated-part.js";
import type { AppliedTransforms } from "../body-transforms/sealed-body.js";
import { isLabelledEncrypted } from "../body-transforms/sealing-properties.js";
import type { WaybillError } from "../errors/error.js";
import { type BodySection, bodySection } from "../message/body.js";
import type { ApplicationProperties, EncodedMessage } from "../message/message.js";
import type { DeserializationAttempt } from "../message/report.js";
import type { KnownVersion } from "../message-types/message-type-registry.js";
import type { DeserializeCallOptions, ReadTarget } from "./call-options.js";
import type { Chain, ChainLink, Selection } from "./chain.js";
import type { ResolvedPipelineOptions } from "./options.js";

const none: readonly never[] = Object.freeze([]);
export const noProperties: ApplicationProperties = Object.freeze({});

/** What a stage waits for. */
export type Waiting = Promise<undefined> | undefined;

/** One body that is read: the input of the stages, and what they found so far. */
export interface Reading {
  readonly chain: Chain;
  readonly options: ResolvedPipelineOptions;
  /** The message, or the part of it to which its encrypted body is bound. */
  readonly message: EncodedMessage;
  readonly applicationProperties: ApplicationProperties;
  /** Whether the message says that its body is encrypted. */
  readonly isEncrypted: boolean;
  readonly abortSignal: AbortSignal | undefined;
  readonly readAs: ReadTarget | undefined;
  /** The serializer that the call names. */
  readonly named: ChainLink | undefined;
  /** Whether claim checks are fetched and bodies decrypted. */
  readonly isUnsealed: boolean;
  readonly selection: Selection;
  readonly section: BodySection;
  /** When reading began, by `performance.now`; undefined if nobody asked. */
  readonly startedAt: number | undefined;
  /** The version of the received message; undefined for an untyped message. */
  known: KnownVersion | undefined;
  /** The body as it was received, then as the stages change it; undefined for an AMQP value that is not bytes. */
  bytes: Uint8Array | undefined;
  transforms: AppliedTransforms | undefined;
  contentEncodings: readonly string[];
  /** Whether the message has no body. */
  isEmpty: boolean;
  /** The serializer that reads the body as if declared: named by the content type or the call, or assumed by a policy. */
  asked: ChainLink | undefined;
  /** The serializer that read the body. */
  link: ChainLink | undefined;
  /** The decoded value, then the upcast one. */
  body: unknown;
  upcastPath: readonly number[];
  attempts: readonly DeserializationAttempt[];
  /** Set when a dependency was unavailable: nothing else is tried then. */
  unavailable: WaybillError | undefined;
  /** Whether no serializer could read the body. */
  isRefused: boolean;
}

/** The reading of a message before its first stage. Throws `TypeError` if the call names a serializer that the chain does not have. */
export function newReading(
  chain: Chain,
  options: ResolvedPipelineOptions,
  received: EncodedMessage,
  call: DeserializeCallOptions | undefined,
): Reading {
  const name = call?.readAs?.serializer;
  const isUnsealed = call?.bodyTransforms ?? true;
  const properties = received.applicationProperties;
  const isEncrypted = properties !== undefined && isLabelledEncrypted(properties);
  const message = isUnsealed && isEncrypted ? authenticatedPart(received) : received;
  return {
    chain,
    options,
    message,
    applicationProperties: message.applicationProperties ?? noProperties,
    isEncrypted,
    abortSignal: call?.abortSignal,
    readAs: call?.readAs,
    named: name === undefined ? undefined : chain.named(name),
    isUnsealed,
    selection: chain.selectFor(message),
    section: bodySection(message.body),
    startedAt: call?.isTimed === true ? performance.now() : undefined,
    known: undefined,
    bytes: undefined,
    transforms: undefined,
    contentEncodings: none,
    isEmpty: false,
    asked: undefined,
    link: undefined,
    body: undefined,
    upcastPath: none,
    attempts: none,
    unavailable: undefined,
    isRefused: false,
  };
}

/** Whether the body may be in an envelope that says the message type, which the properties do not say; before the stage that opens it. */
export function mayBeEnvelope({ known, options }: Reading): boolean {
  return known === undefined && options.messageTypes?.open !== undefined;
}
