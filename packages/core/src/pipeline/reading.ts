import { authenticatedPart } from "../body-transforms/authenticated-part.js";
import { isLabelledEncrypted } from "../body-transforms/sealing-properties.js";
import type { WaybillError } from "../errors/error.js";
import type { ApplicationProperties, EncodedMessage } from "../message/message.js";
import type { DeserializationReport } from "../message/report.js";
import { unreadReport } from "../message/unread-report.js";
import type { KnownVersion } from "../message-types/message-type-registry.js";
import type { DeserializeCallOptions } from "./call-options.js";
import type { Chain, ChainLink, Selection } from "./chain.js";
import type { ResolvedPipelineOptions } from "./options.js";

const noCall: DeserializeCallOptions = Object.freeze({});
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
  readonly call: DeserializeCallOptions;
  /** The serializer that the call names. */
  readonly named: ChainLink | undefined;
  readonly selection: Selection;
  /** When reading began, by `performance.now`; undefined if nobody asked. */
  readonly startedAt: number | undefined;
  /** What is known of the reading so far. `conclude` adds what the last stage decides. */
  readonly report: { -readonly [Name in keyof DeserializationReport]: DeserializationReport[Name] };
  /** The version of the received message; undefined for an untyped message. */
  known: KnownVersion | undefined;
  /** The body as it was received, then as the stages change it; undefined for an AMQP value that is not bytes. */
  bytes: Uint8Array | undefined;
  /** The serializer that reads the body as if declared: named by the content type or the call, or assumed by a policy. */
  asked: ChainLink | undefined;
  /** The serializer that read the body. */
  link: ChainLink | undefined;
  /** The decoded value, then the upcast one. */
  body: unknown;
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
  given: DeserializeCallOptions | undefined,
): Reading {
  // Untyped programs may pass null.
  const call = given ?? noCall;
  const name = call.readAs?.serializer;
  const properties = received.applicationProperties;
  const isEncrypted = properties !== undefined && isLabelledEncrypted(properties);
  const message = isEncrypted && call.bodyTransforms !== false ? authenticatedPart(received) : received;
  const selection = chain.selectFor(message);
  return {
    chain,
    options,
    message,
    applicationProperties: message.applicationProperties ?? noProperties,
    isEncrypted,
    call,
    named: name === undefined ? undefined : chain.named(name),
    selection,
    startedAt: call.isTimed === true ? performance.now() : undefined,
    report: unreadReport(message, selection.link?.name),
    known: undefined,
    bytes: undefined,
    asked: undefined,
    link: undefined,
    body: undefined,
    unavailable: undefined,
    isRefused: false,
  };
}

/** Whether the body may be in an envelope that says the message type, which the properties do not say; before the stage that opens it. */
export function mayBeEnvelope({ known, options }: Reading): boolean {
  return known === undefined && options.messageTypes?.open !== undefined;
}
