import { createHash } from "node:crypto";
import {
  deadLetterRecordProperty,
  type EncodedMessage,
  type MessageType,
  type Pipeline,
  type Transport,
  WaybillError,
} from "@waybill/core";
import { type Decoded, decisiveAttempt } from "@waybill/core/pipeline";
import { type OptionNames, requireKnownOptions } from "@waybill/core/serializer";
import type { CallOptions, DeliveredMessage, EntityCatalog } from "@waybill/core/transport";
import { peekPages } from "../census/peek-pages.js";
import { placesInFlowOrder } from "../census/places.js";
import {
  originalMessageIdProperty,
  resubmitCountProperty,
  resubmitToProperty,
} from "../repair/resubmission.js";
import { acceptedBy } from "./accepted-by.js";
import type { GoldenMessage, GoldenParts } from "./golden-message.js";
import { asRead, narrowPipeline, typeAsOf } from "./narrow-pipeline.js";
import { toPortableValue } from "./portable-value.js";
import { isKept, type Redactor, redactLeaf, redactValue, shapeOf } from "./redact-value.js";

/** Where to look for samples, and what they may contain. */
export interface GoldenCaptureOptions extends CallOptions {
  readonly transport: Transport;
  /** The chain that consumers use. */
  readonly pipeline: Pipeline;
  /** The entities to peek, with their dead-letter queues. */
  readonly catalog: EntityCatalog;
  /** Replaces every leaf of the bodies and application properties; `false` keeps payloads unchanged. Default: {@link redactLeaf}. */
  readonly redact?: Redactor | false | undefined;
  /** Paths that keep their value, as JSON pointers in which a step `*` matches any key: `/status`, `/currency`. Default: none. */
  readonly keep?: readonly string[] | undefined;
  /** How many samples of different shape to keep for each type, version and serializer. Default: 3. */
  readonly samplesPerKind?: number | undefined;
  /** Maximum number of messages to peek in one place. Default: no limit. */
  readonly maxMessagesPerPlace?: number | undefined;
  /** Called after each page with the number of messages so far. */
  readonly onProgress?: ((peeked: number) => void) | undefined;
}

/** What was found. */
export interface GoldenCapture {
  /** How many messages were peeked. */
  readonly peeked: number;
  readonly messages: readonly GoldenMessage[];
  /** Why some messages could not become golden messages, by kind. */
  readonly skipped: readonly GoldenSkip[];
}

/** Messages that were left out. */
export interface GoldenSkip {
  /**
   * No serializer of the chain reads it; its body is an AMQP value that needs no serializer; or it cannot be written again, usually because its
   * redacted form is refused: keep more of it then.
   */
  readonly why: "undeserializable" | "no-serializer" | "not-redactable";
  readonly messageType: string | undefined;
  readonly messageVersion: number | undefined;
  readonly serializer: string | undefined;
  /** What was wrong with the first such message, without payload. */
  readonly detail: string;
  /** How many messages. */
  readonly count: number;
}

const singleOptionNames: OptionNames<
  Pick<GoldenCaptureOptions, "pipeline" | "redact" | "keep" | "abortSignal">
> = { pipeline: true, redact: true, keep: true, abortSignal: true };

const optionNames: OptionNames<GoldenCaptureOptions> = {
  ...singleOptionNames,
  transport: true,
  catalog: true,
  samplesPerKind: true,
  maxMessagesPerPlace: true,
  onProgress: true,
};

/** How many kinds are distinguished; further kinds, which producers may invent without limit, are left out. */
const maxKinds = 1_000;

/**
 * Peeks every entity and its dead-letter queues and takes samples of each type, version and serializer: redacted, written again in the same
 * format and version, and read once more with the chain to record the result. Locks and changes nothing. Rejects with `TypeError` for an
 * unknown option, and as the catalog and the transport do.
 */
export async function captureGoldenMessages(options: GoldenCaptureOptions): Promise<GoldenCapture> {
  requireKnownOptions("captureGoldenMessages", options, optionNames);
  const { transport, catalog, abortSignal, maxMessagesPerPlace, onProgress } = options;
  const capture = new Capture(options);
  let peeked = 0;
  for (const { address } of placesInFlowOrder(await catalog.listEntities({ abortSignal }))) {
    const receiver = transport.createReceiver(address, "peekLock");
    try {
      for await (const page of peekPages(receiver, { maxMessages: maxMessagesPerPlace, abortSignal })) {
        for (const message of page) await capture.add(message);
        peeked += page.length;
        onProgress?.(peeked);
      }
    } catch (error) {
      // The transport does not have this sub-queue, so it holds no messages.
      if (!(error instanceof WaybillError && error.code === "not-supported")) throw error;
    } finally {
      await receiver.close();
    }
  }
  return { peeked, messages: capture.messages, skipped: [...capture.skipped.values()] };
}

/**
 * Makes a golden message from one message that was peeked or received: `messages` holds it, or `skipped` says why there is none. Redacted as
 * {@link captureGoldenMessages} does. Rejects with `TypeError` for an unknown option.
 */
export async function captureGoldenMessage(
  message: DeliveredMessage,
  options: Pick<GoldenCaptureOptions, "pipeline" | "redact" | "keep" | "abortSignal">,
): Promise<Omit<GoldenCapture, "peeked">> {
  requireKnownOptions("captureGoldenMessage", options, singleOptionNames);
  const capture = new Capture(options);
  await capture.add(message);
  return { messages: capture.messages, skipped: [...capture.skipped.values()] };
}

type Skip = { -readonly [Key in keyof GoldenSkip]: GoldenSkip[Key] };

class Capture {
  readonly messages: GoldenMessage[] = [];
  readonly skipped = new Map<string, Skip>();
  readonly #options: Pick<GoldenCaptureOptions, "pipeline"> & Partial<GoldenCaptureOptions>;
  /** The shapes of each kind that were found. */
  readonly #shapes = new Map<string, Set<string>>();

  constructor(options: Pick<GoldenCaptureOptions, "pipeline"> & Partial<GoldenCaptureOptions>) {
    this.#options = options;
  }

  async add(message: DeliveredMessage): Promise<void> {
    const { pipeline, samplesPerKind = 3, abortSignal } = this.#options;
    const outcome = await pipeline.deserialize(message as EncodedMessage, { abortSignal });
    const { report } = outcome;
    if (outcome.status !== "decoded") {
      const detail = decisiveAttempt(report)?.detail ?? "Something was unreachable.";
      return this.#skip("undeserializable", report, detail);
    }
    if (report.serializer === undefined) {
      const detail = report.isEmpty === true ? "It has no body." : "Its body is an AMQP value.";
      return this.#skip("no-serializer", report, detail);
    }
    const kind = kindName(message, outcome);
    const shapes = this.#shapes.get(kind) ?? new Set();
    if (shapes.size >= samplesPerKind || (shapes.size === 0 && this.#shapes.size >= maxKinds)) return;
    try {
      const own = new OwnVersion(pipeline, outcome, report.serializer);
      const value = await own.read(message as EncodedMessage);
      const shape = digest(`${message.contentType ?? ""}\n${shapeOf(value)}`);
      if (shapes.has(shape)) return;
      this.#shapes.set(kind, shapes.add(shape));
      await this.#sample(`${kind}.${shape}`, message, value, own, outcome);
    } catch (error) {
      if (!(error instanceof WaybillError)) throw error;
      this.#skip("not-redactable", report, error.text);
    }
  }

  async #sample(name: string, message: DeliveredMessage, value: unknown, own: OwnVersion, outcome: Decoded) {
    const { pipeline, keep = [], redact = redactLeaf } = this.#options;
    const { messageType, messageVersion } = outcome.report;
    const place = { messageType, messageVersion, serializer: own.serializer };
    const parts =
      redact === false
        ? partsOf(message)
        : await own.write(message, value, (leaf, path) =>
            isKept(path, keep) ? leaf : redact(leaf, { ...place, path }),
          );
    this.messages.push(await golden(pipeline, name, parts, outcome, redact !== false));
  }

  #skip(why: GoldenSkip["why"], report: Decoded["report"], detail: string): void {
    const { messageType, messageVersion, serializer } = report;
    const key = JSON.stringify([why, messageType, messageVersion, serializer]);
    const known = this.skipped.get(key);
    if (known !== undefined) known.count++;
    else if (this.skipped.size < maxKinds)
      this.skipped.set(key, { why, messageType, messageVersion, serializer, detail, count: 1 });
  }
}

/** Reads and writes bodies in the version and with the serializer of one message, without upcasting. */
class OwnVersion {
  readonly serializer: string;
  readonly #outcome: Decoded;
  readonly #pipeline: Pipeline;
  readonly #type: MessageType | undefined;

  constructor(pipeline: Pipeline, outcome: Decoded, serializer: string) {
    const { messageType, messageVersion } = outcome.report;
    const type = pipeline.messageTypes.find(({ name }) => name === messageType);
    this.serializer = serializer;
    this.#outcome = outcome;
    this.#type = type && messageVersion !== undefined ? typeAsOf(type, messageVersion) : undefined;
    const winner = pipeline.serializers.filter(({ name }) => name === serializer);
    this.#pipeline = narrowPipeline(pipeline, winner, this.#type);
  }

  async read(message: EncodedMessage): Promise<unknown> {
    if (this.#outcome.report.upcastPath.length === 0) return this.#outcome.body;
    const outcome = await this.#pipeline.deserialize(message, asRead(this.#outcome.report));
    if (outcome.status === "decoded") return outcome.body;
    const detail = decisiveAttempt(outcome.report)?.detail ?? "something was unreachable";
    throw new WaybillError("deserialization-failed", `the body cannot be read without upcasting: ${detail}`);
  }

  async write(
    message: DeliveredMessage,
    value: unknown,
    redact: (leaf: unknown, path: string) => unknown,
  ): Promise<GoldenParts> {
    const { report } = this.#outcome;
    const isDeclared = report.declared === report.serializer;
    const applicationProperties = this.#properties(message, redact);
    const written = await this.#pipeline.serialize({
      subject: this.#type?.name ?? message.subject,
      contentType: isDeclared ? message.contentType : undefined,
      contentEncoding: message.contentEncoding,
      applicationProperties,
      body: redactValue(value, redact),
    });
    return {
      body: written.body as Uint8Array,
      contentType: isDeclared ? written.contentType : message.contentType,
      contentEncoding: message.contentEncoding,
      subject: message.subject,
      applicationProperties,
    };
  }

  /** Keeps the properties that name type, version and compression and adds none: a message without a version must stay without one. */
  #properties(message: DeliveredMessage, redact: (leaf: unknown, path: string) => unknown) {
    const { applicationProperties } = message;
    const kept = new Set(["Content-Encoding", "content-encoding", ...this.#stamps()]);
    const properties = Object.entries(applicationProperties)
      .filter(([name]) => !diagnostics.has(name))
      .map(([name, value]) => {
        const redacted = kept.has(name) ? value : redact(value, `/applicationProperties/${name}`);
        return [name, this.#identifies(message, name, redacted) ? value : redacted];
      });
    return Object.fromEntries(properties) as EncodedMessage["applicationProperties"];
  }

  /** Whether type and version are read from a property, such as `type`, and would be others with its redacted value. */
  #identifies(message: DeliveredMessage, name: string, redacted: unknown): boolean {
    if (this.#type === undefined) return false;
    const resolver = this.#pipeline.messageTypeResolver;
    const identity = (one: object) => JSON.stringify(resolver.identify(one as EncodedMessage));
    try {
      const applicationProperties = { ...message.applicationProperties, [name]: redacted };
      return identity(message) !== identity({ ...message, applicationProperties });
    } catch {
      // The redacted value is no version, for example.
      return true;
    }
  }

  #stamps(): string[] {
    if (this.#type === undefined) return [];
    const identity = { messageType: this.#type.name, version: this.#type.version };
    return Object.keys(this.#pipeline.messageTypeResolver.stamp(identity, {}).applicationProperties ?? {});
  }
}

/** The properties that dead-lettering and repairs add to a message. */
const diagnostics: ReadonlySet<string> = new Set([
  "DeadLetterReason",
  "DeadLetterErrorDescription",
  deadLetterRecordProperty,
  originalMessageIdProperty,
  resubmitCountProperty,
  resubmitToProperty,
]);

function partsOf(message: DeliveredMessage): GoldenParts {
  const { body, contentType, contentEncoding, subject, applicationProperties } = message;
  const properties = Object.entries(applicationProperties).filter(([name]) => !diagnostics.has(name));
  return {
    body: body as Uint8Array,
    contentType,
    contentEncoding,
    subject,
    applicationProperties: Object.fromEntries(properties),
  };
}

async function golden(
  pipeline: Pipeline,
  name: string,
  message: GoldenParts,
  original: Decoded,
  isRedacted: boolean,
): Promise<GoldenMessage> {
  const { serializer, messageType, messageVersion } = original.report;
  const outcome = await pipeline.deserialize(message);
  if (serializer === undefined || outcome.status !== "decoded" || outcome.report.serializer !== serializer) {
    const detail = decisiveAttempt(outcome.report)?.detail ?? "another serializer takes it";
    throw new WaybillError("deserialization-failed", `the redacted body is read differently: ${detail}`);
  }
  const type = pipeline.messageTypes.find((each) => each.name === messageType);
  return {
    name,
    message,
    isRedacted,
    expected: {
      serializer,
      messageType,
      messageVersion,
      valueVersion: type?.version,
      value: toPortableValue(outcome.body),
      acceptedBy: await acceptedBy(pipeline, message, type),
    },
  };
}

/** A valid file name on every system. */
function kindName({ subject = "untyped" }: DeliveredMessage, { report }: Decoded): string {
  const { messageType = subject, messageVersion, serializer } = report;
  const version = messageVersion === undefined ? "" : `.v${messageVersion}`;
  return `${messageType.replace(/[^\w-]+/g, "_").slice(0, 64)}${version}.${serializer}`;
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 8);
}
