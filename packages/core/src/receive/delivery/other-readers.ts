import { isDoneWithin, pause, quoted, type Scheduler, steadyNowOf } from "@waybill/foundation";
import type { LiveReader, ReaderDirectory } from "../../contracts/reader-directory.js";
import type { Awaitable } from "../../contracts/serializer.js";
import type { DeliveredMessage } from "../../contracts/transport.js";
import { unavailableAt } from "../../errors/failure.js";
import type { ReasonCode } from "../../errors/reason.js";
import { parseMediaType } from "../../message/media-type.js";
import type { Unavailable, Undeserializable } from "../../message/outcome.js";
import type { DeserializationReport } from "../../message/report.js";
import type { MessageType } from "../../message-types/message-type.js";
import type { MessageIdentity } from "../../message-types/message-type-resolver.js";
import type { Pipeline } from "../../pipeline/pipeline.js";

/** A list that names the reader is believed for this long without asking again. In milliseconds. */
const believedForMs = 30_000;

/** If the directory fails, its last list counts for this long. In milliseconds. */
const rememberedForMs = 600_000;

const minIntervalMs = 1_000;
const timeoutMs = 5_000;

/**
 * The other readers of one entity. A message in a format or version that this client does not know is left to a running reader that does,
 * instead of being dead-lettered.
 */
export class OtherReaders {
  readonly #directory: ReaderDirectory;
  readonly #entityPath: string;
  readonly #scheduler: Scheduler;
  #readers: readonly LiveReader[] = [];
  #answeredAtMs = Number.NEGATIVE_INFINITY;
  #begunAtMs = Number.NEGATIVE_INFINITY;
  #running: Promise<void> = Promise.resolve();
  #queued: Promise<void> | undefined;

  constructor(directory: ReaderDirectory, entityPath: string, scheduler: Scheduler) {
    this.#directory = directory;
    this.#entityPath = entityPath;
    this.#scheduler = scheduler;
  }

  /** The outcome if another reader that runs now can read the message, else the one given. Never throws or rejects. */
  leave(
    delivered: DeliveredMessage,
    outcome: Undeserializable,
    pipeline: Pipeline,
  ): Awaitable<Undeserializable | Unavailable> {
    const label = unknownLabel(delivered, outcome.report, pipeline);
    if (label === undefined) return outcome;
    if (this.#isReadWithin(label, believedForMs)) return leftToAnother(label, outcome.report);
    return this.#listAgain().then(() =>
      this.#isReadWithin(label, rememberedForMs) ? leftToAnother(label, outcome.report) : outcome,
    );
  }

  #isReadWithin(label: Label, maxAgeMs: number): boolean {
    const ageMs = steadyNowOf(this.#scheduler) - this.#answeredAtMs;
    return ageMs <= maxAgeMs && this.#readers.some(label.isReadBy);
  }

  /** Resolves after a list that began after this call: a sender writes a format only once its reader was announced. */
  #listAgain(): Promise<void> {
    this.#queued ??= this.#listAfter(this.#running);
    return this.#queued;
  }

  async #listAfter(running: Promise<void>): Promise<void> {
    await running;
    const waitMs = this.#begunAtMs + minIntervalMs - steadyNowOf(this.#scheduler);
    if (waitMs > 0) await pause(waitMs, this.#scheduler, undefined);
    // Callers from now on need a list of their own: this one may have been read before the sender wrote their message.
    this.#queued = undefined;
    this.#begunAtMs = steadyNowOf(this.#scheduler);
    this.#running = this.#list();
    await this.#running;
  }

  async #list(): Promise<void> {
    const aborting = new AbortController();
    const answer = async () => {
      const readers = await this.#directory.readersOf(this.#entityPath, { abortSignal: aborting.signal });
      // A later list may have answered before this one.
      if (aborting.signal.aborted) return;
      this.#readers = readers;
      this.#answeredAtMs = steadyNowOf(this.#scheduler);
    };
    try {
      await isDoneWithin(answer(), timeoutMs, this.#scheduler);
    } catch {
      // The previous list counts.
    }
    aborting.abort();
  }
}

/** The part of a message's label that this client does not know. */
interface Label {
  readonly text: string;
  readonly isReadBy: (reader: LiveReader) => boolean;
}

const unknownTypeReasons: ReadonlySet<ReasonCode> = new Set([
  "message-type-unknown",
  "message-version-unknown",
  "message-version-removed",
]);

function unknownLabel(
  delivered: DeliveredMessage,
  { declared, attempts }: DeserializationReport,
  pipeline: Pipeline,
): Label | undefined {
  const isTypeUnknown = attempts.some(({ reason }) => unknownTypeReasons.has(reason));
  if (isTypeUnknown) return typeLabel(delivered, pipeline);
  return declared === undefined ? formatLabel(delivered.contentType) : undefined;
}

function formatLabel(contentType: string | undefined): Label | undefined {
  const mediaType = typeof contentType === "string" ? parseMediaType(contentType) : undefined;
  if (mediaType === undefined) return undefined;
  const { essence, suffix } = mediaType;
  const isRead = (each: string) => each === essence || each === suffix;
  return {
    text: `the content type ${quoted(essence)}`,
    isReadBy: ({ mediaTypes }) => mediaTypes.some(isRead),
  };
}

function typeLabel(delivered: DeliveredMessage, pipeline: Pipeline): Label | undefined {
  const identity = identify(delivered, pipeline);
  if (identity === undefined) return undefined;
  const { messageType } = identity;
  const known = pipeline.messageTypes.find((each) => isNamed(each, messageType));
  const { name: type = messageType } = known ?? {};
  const version = identity.version ?? known?.unversioned;
  const isVersion = (each: { readonly version: number }) => version === undefined || each.version === version;
  return {
    text: version === undefined ? quoted(type) : `version ${version} of ${quoted(type)}`,
    isReadBy: ({ messageTypes }) =>
      messageTypes.some(({ name, versions }) => name === type && versions.some(isVersion)),
  };
}

function identify(
  delivered: DeliveredMessage,
  { messageTypeResolver, messageTypes }: Pipeline,
): MessageIdentity | undefined {
  try {
    return messageTypeResolver.identify(delivered, (name) =>
      messageTypes.some((type) => isNamed(type, name)),
    );
  } catch {
    // A resolver of the application that throws leaves the message without a type.
    return undefined;
  }
}

function isNamed({ name, aliases }: MessageType, messageType: string): boolean {
  return name === messageType || aliases.includes(messageType);
}

function leftToAnother({ text }: Label, report: DeserializationReport): Unavailable {
  const error = unavailableAt("select", `Another reader of this entity is running that reads ${text}.`);
  return { status: "unavailable", error, report };
}
