import {
  type DeserializationOutcome,
  type EncodedMessage,
  type Pipeline,
  type Transport,
  WaybillError,
} from "@waybill/core";
import type { Decoded } from "@waybill/core/pipeline";
import { requireOneOf } from "@waybill/core/serializer";
import {
  type CallOptions,
  type DeliveredMessage,
  type Scheduler,
  systemScheduler,
  type TransportReceiver,
  type TransportSender,
} from "@waybill/core/transport";
import { type DeadLetterQueue, deadLetterAddress, deadLetterPath } from "./dead-letter-queue.js";
import { HeldMessages } from "./held-messages.js";
import { Pace } from "./pace.js";
import { createMemoryReceipts, placeKey, placeOf, type Receipt, type ReceiptLog } from "./receipt-log.js";
import { resubmissionOf, resubmitCountOf } from "./resubmission.js";

/** Where repaired messages go. With a subscription, {@link resubmitFilter} must stand on each subscription of the topic. */
export type RepairTarget =
  | { readonly queue: string }
  | { readonly topic: string; readonly subscription?: string | undefined };

/** A dead-lettered message with what today's chain makes of it. */
export interface RepairCandidate {
  readonly message: DeliveredMessage;
  readonly outcome: DeserializationOutcome;
}

/** Which messages to send again, where and how. */
export interface RepairOptions extends CallOptions {
  readonly transport: Transport;
  /** The chain that consumers use now. */
  readonly pipeline: Pick<Pipeline, "deserialize" | "serialize">;
  readonly from: DeadLetterQueue;
  /** Default: the entity they were dead-lettered in; for a subscription its topic, addressed to that subscription alone. */
  readonly to?: RepairTarget | undefined;
  /** `"as-is"` sends the bytes that came; `"transcode"` writes the value again, in the chain's main format and current version. Default: `"as-is"`. */
  readonly body?: "as-is" | "transcode" | undefined;
  /** Chooses among the messages. Default: all. */
  readonly select?: ((candidate: RepairCandidate) => boolean) | undefined;
  /** Also sends messages that today's chain cannot read; only as they are. Default: false. */
  readonly includeUndecodable?: boolean | undefined;
  /**
   * Whether the target detects duplicates. Then each message gets an id of its own that is the same whenever it is tried, so that neither the
   * original's id nor a crash between sending and noting it gets in the way; the original id is kept in an application property. Default: false.
   */
  readonly targetDetectsDuplicates?: boolean | undefined;
  /** A message that was resubmitted this often stays. Default: 3. */
  readonly maxResubmits?: number | undefined;
  /** How many messages to send per second at most. Default: no limit. */
  readonly maxPerSecond?: number | undefined;
  /** How many messages to send at most. Default: no limit. */
  readonly limit?: number | undefined;
  /** How long to wait for messages before the queue counts as done, in milliseconds. Default: 2,000. */
  readonly maxWaitTimeInMs?: number | undefined;
  /** Remembers what was done; a repair with the receipts of an interrupted one goes on where that stopped. Default: in memory. */
  readonly receipts?: ReceiptLog | undefined;
  /** Called after each batch. */
  readonly onProgress?: ((result: RepairResult) => void) | undefined;
}

/** Why a message stays in the dead-letter queue. */
export type RepairSkip =
  | "not-selected"
  | "undecodable"
  | "unavailable"
  | "resubmitted-too-often"
  /** It was resubmitted by this very repair and dead-lettered again. */
  | "failed-again"
  | "too-large"
  | "not-writable";

/** What a repair did. */
export interface RepairResult {
  /** Sent by this repair. */
  readonly resubmitted: number;
  /** Sent by an interrupted repair and only removed by this one. */
  readonly resumed: number;
  readonly skipped: Readonly<Partial<Record<RepairSkip, number>>>;
  /**
   * Messages that an interrupted repair may have sent without noting it, and that were sent again: their numbers in the dead-letter queue, those of
   * earlier repairs with the same receipts first. Always empty where the target detects duplicates.
   */
  readonly possibleDuplicates: readonly bigint[];
}

/** What is sent in one go stays below what the standard tier takes in one batch, 256 KB. */
const maxBatchBytes = 192 * 1024;
const maxBatchMessages = 100;
/** What a message's properties are taken to weigh beside its body. */
const propertiesBytes = 1024;

/**
 * Sends dead-lettered messages again and removes each from its queue only when it is safely sent. Properties stay, what dead-lettering
 * added goes. What is not sent stays where it is. Rejects when the broker fails; run again with the same receipts, it goes on.
 */
export async function repairDeadLetters(options: RepairOptions): Promise<RepairResult> {
  return await new Repair(options).run();
}

type Counted = {
  resubmitted: number;
  resumed: number;
  skipped: Partial<Record<RepairSkip, number>>;
  possibleDuplicates: bigint[];
};

/** A message that is about to be sent. */
interface Planned {
  readonly delivered: DeliveredMessage;
  readonly message: EncodedMessage;
}

class Repair {
  readonly #options: RepairOptions;
  readonly #from: string;
  readonly #to: string;
  readonly #receiver: TransportReceiver;
  readonly #sender: TransportSender;
  readonly #receipts: ReceiptLog;
  readonly #scheduler: Scheduler;
  readonly #pace: Pace;
  readonly #held: HeldMessages;
  /** Messages that an earlier repair, or an earlier turn of this one, began to send and did not remove. */
  readonly #begun = new Map<string, "sending" | "sent">();
  readonly #result: Counted = { resubmitted: 0, resumed: 0, skipped: {}, possibleDuplicates: [] };
  #startedAt = 0;

  constructor(options: RepairOptions) {
    checkRepairOptions(options);
    const { transport, from } = options;
    const address = deadLetterAddress(from);
    this.#options = options;
    this.#from = deadLetterPath(from);
    const target = targetOf(options);
    this.#to = "queue" in target ? target.queue : target.topic;
    this.#scheduler = transport.scheduler ?? systemScheduler;
    this.#receipts = options.receipts ?? createMemoryReceipts();
    this.#pace = new Pace(options.maxPerSecond, this.#scheduler);
    this.#receiver = transport.createReceiver(address, "peekLock");
    this.#sender = transport.createSender(this.#to);
    this.#held = new HeldMessages(this.#receiver);
  }

  async run(): Promise<RepairResult> {
    try {
      await this.#readReceipts();
      this.#startedAt = this.#scheduler.now();
      while (this.#left() > 0 && (await this.#turn()));
      return this.#snapshot();
    } finally {
      await this.#held.release();
      await Promise.all([this.#receiver.close(), this.#sender.close()]);
    }
  }

  async #readReceipts(): Promise<void> {
    for await (const receipt of this.#receipts.read()) {
      if (receipt.from.toLowerCase() !== this.#from.toLowerCase()) continue;
      const { step } = receipt;
      const key = placeKey(receipt);
      if (step === "sending" && this.#begun.get(key) === "sending")
        this.#noteDuplicate(BigInt(receipt.sequenceNumber));
      if (step === "removed") this.#begun.delete(key);
      else this.#begun.set(key, step);
    }
  }

  /** Takes some messages and deals with them; false when there are no new ones. */
  async #turn(): Promise<boolean> {
    const { abortSignal, onProgress, maxWaitTimeInMs = 2_000 } = this.#options;
    const maxMessages = this.#pace.atOnce(Math.min(maxBatchMessages, this.#left()));
    const batch = await this.#receiver.receive({
      maxMessages,
      maxWaitTimeInMs: maxWaitTimeInMs,
      abortSignal,
    });
    const fresh = batch.filter((message) => !this.#held.holdsAgain(message));
    if (fresh.length === 0) return false;
    const sent: DeliveredMessage[] = [];
    try {
      await this.#sendAll(fresh, sent);
    } catch (error) {
      if (this.#options.abortSignal?.aborted) await this.#giveBack(fresh, sent);
      throw error;
    }
    await this.#remove(sent);
    onProgress?.(this.#snapshot());
    return true;
  }

  /** Sends what is to be sent, batch by batch, and adds what is safely there to `sent`. */
  async #sendAll(fresh: readonly DeliveredMessage[], sent: DeliveredMessage[]): Promise<void> {
    let planned: Planned[] = [];
    let bytes = 0;
    for (const delivered of fresh) {
      if (this.#begun.get(placeKey(placeOf(delivered))) === "sent") {
        this.#result.resumed++;
        sent.push(delivered);
        continue;
      }
      const message = await this.#plan(delivered);
      if (typeof message === "string") {
        this.#skip(delivered, message);
        continue;
      }
      const size = sizeOf(message);
      if (bytes + size > maxBatchBytes && planned.length > 0) {
        sent.push(...(await this.#send(planned)));
        planned = [];
        bytes = 0;
      }
      planned.push({ delivered, message });
      bytes += size;
    }
    if (planned.length > 0) sent.push(...(await this.#send(planned)));
  }

  /** Ends a turn that is given up in the middle: removes what was sent, and lets the locks of the others go, so that a resumed repair finds them at once. */
  async #giveBack(fresh: readonly DeliveredMessage[], sent: readonly DeliveredMessage[]): Promise<void> {
    for (const message of fresh) if (!sent.includes(message)) this.#held.add(message);
    try {
      await this.#remove(sent);
      this.#options.onProgress?.(this.#snapshot());
    } catch {
      // That it was given up is what is thrown. Sent and not removed is noted, and removed by the next repair.
    }
  }

  async #plan(delivered: DeliveredMessage): Promise<EncodedMessage | RepairSkip> {
    const { pipeline, abortSignal } = this.#options;
    if (resubmitCountOf(delivered) > 0 && (delivered.enqueuedTimeUtc?.getTime() ?? 0) >= this.#startedAt)
      return "failed-again";
    const outcome = await pipeline.deserialize(delivered as EncodedMessage, { abortSignal });
    return await planned({ message: delivered, outcome }, this.#options);
  }

  /** Sends the messages and notes it before and after; returns those that are safely there. */
  async #send(planned: readonly Planned[]): Promise<DeliveredMessage[]> {
    await this.#pace.wait(planned.length, this.#options.abortSignal);
    // From here to the last receipt nothing is given up: a batch that may or may not have been sent could only be sent again.
    throwIfGivenUp(this.#options.abortSignal);
    await this.#note("sending", planned);
    for (const { delivered } of planned) {
      if (this.#begun.get(placeKey(placeOf(delivered))) === "sending")
        this.#noteDuplicate(delivered.sequenceNumber);
    }
    const sent = await this.#sendTogetherOrEach(planned);
    for (const { delivered } of sent) this.#begun.set(placeKey(placeOf(delivered)), "sent");
    await this.#note("sent", sent);
    this.#result.resubmitted += sent.length;
    return sent.map(({ delivered }) => delivered);
  }

  async #sendTogetherOrEach(planned: readonly Planned[]): Promise<readonly Planned[]> {
    try {
      await this.#sender.send(planned.map(({ message }) => message));
      return planned;
    } catch (error) {
      if (!(error instanceof WaybillError) || error.code !== "message-too-large") throw error;
      if (planned.length > 1) {
        const sent: Planned[] = [];
        for (const one of planned) sent.push(...(await this.#sendTogetherOrEach([one])));
        return sent;
      }
      this.#skip(planned[0]!.delivered, "too-large");
      return [];
    }
  }

  async #remove(sent: readonly DeliveredMessage[]): Promise<void> {
    const removed = await Promise.all(
      sent.map(async (delivered) => {
        try {
          await this.#receiver.complete(delivered.settlement!);
          this.#begun.delete(placeKey(placeOf(delivered)));
          return [delivered];
        } catch (error) {
          // It comes back, and is known to be sent.
          if (error instanceof WaybillError && error.code === "message-lock-lost") return [];
          throw error;
        }
      }),
    );
    await this.#note(
      "removed",
      removed.flat().map((delivered) => ({ delivered })),
    );
  }

  async #note(
    step: Receipt["step"],
    messages: readonly { delivered: DeliveredMessage; message?: EncodedMessage }[],
  ) {
    if (messages.length === 0) return;
    const at = new Date(this.#scheduler.now()).toISOString();
    await this.#receipts.append(
      messages.map(({ delivered, message }) => ({
        step,
        from: this.#from,
        ...placeOf(delivered),
        messageId: idText((message ?? delivered).messageId),
        to: this.#to,
        at,
      })),
    );
  }

  #noteDuplicate(sequenceNumber: bigint): void {
    if (!this.#options.targetDetectsDuplicates) this.#result.possibleDuplicates.push(sequenceNumber);
  }

  #skip(delivered: DeliveredMessage, why: RepairSkip): void {
    this.#result.skipped[why] = (this.#result.skipped[why] ?? 0) + 1;
    this.#held.add(delivered);
  }

  #left(): number {
    return (this.#options.limit ?? Number.POSITIVE_INFINITY) - this.#result.resubmitted;
  }

  #snapshot(): RepairResult {
    const { skipped, possibleDuplicates } = this.#result;
    return { ...this.#result, skipped: { ...skipped }, possibleDuplicates: [...possibleDuplicates] };
  }
}

/** Why a message is not to be sent, as far as one can tell by looking at it. */
function skipOf(
  { message, outcome }: RepairCandidate,
  { select, includeUndecodable, maxResubmits = 3 }: RepairOptions,
): RepairSkip | undefined {
  if (select !== undefined && !select({ message, outcome })) return "not-selected";
  if (outcome.status === "unavailable") return "unavailable";
  if (outcome.status === "undeserializable" && includeUndecodable !== true) return "undecodable";
  return resubmitCountOf(message) >= maxResubmits ? "resubmitted-too-often" : undefined;
}

/** What a repair sends for a message, or why the message stays. */
export async function planned(
  candidate: RepairCandidate,
  options: RepairOptions,
): Promise<EncodedMessage | RepairSkip> {
  const skip = skipOf(candidate, options);
  if (skip !== undefined) return skip;
  const { message: delivered, outcome } = candidate;
  const target = targetOf(options);
  const message = resubmissionOf(delivered, {
    subscription: "queue" in target ? undefined : target.subscription,
    messageId: options.targetDetectsDuplicates ? ownId(delivered, deadLetterPath(options.from)) : undefined,
  });
  return options.body === "transcode" && outcome.status === "decoded"
    ? await transcoded(message, outcome, options)
    : message;
}

/** The same whenever this message is tried, and another one after it came back, or when the queue was made again. */
function ownId(delivered: DeliveredMessage, from: string): string {
  const { sequenceNumber, enqueuedTimeUtc } = delivered;
  const own = `:${sequenceNumber}:${enqueuedTimeUtc?.getTime() ?? 0}:${resubmitCountOf(delivered) + 1}`;
  // An id has 128 characters at most.
  return `waybill-resubmit:${from.toLowerCase().slice(-(128 - 17 - own.length))}${own}`;
}

/** The message in the chain's main format and current version, or that it cannot be written so. */
async function transcoded(
  message: EncodedMessage,
  { body }: Decoded,
  { pipeline, abortSignal }: RepairOptions,
): Promise<EncodedMessage | "not-writable"> {
  const {
    "Content-Encoding": _,
    "content-encoding": __,
    ...applicationProperties
  } = message.applicationProperties ?? {};
  try {
    return await pipeline.serialize(
      { ...message, body, contentType: undefined, applicationProperties },
      { abortSignal },
    );
  } catch (error) {
    if (error instanceof WaybillError && error.code === "serialization-failed") return "not-writable";
    throw error;
  }
}

/** Throws `TypeError` for options that make no sense. */
export function checkRepairOptions({
  maxResubmits = 1,
  maxPerSecond = 1,
  limit = 1,
  body = "as-is",
  includeUndecodable,
}: RepairOptions): void {
  for (const [name, value] of Object.entries({ maxResubmits, maxPerSecond, limit })) {
    if (!(value > 0)) throw new TypeError(`${name} must be above 0, not ${String(value)}.`);
  }
  requireOneOf("body", body, ["as-is", "transcode"]);
  if (body === "transcode" && includeUndecodable === true)
    throw new TypeError("What cannot be decoded cannot be transcoded: leave includeUndecodable out.");
}

/** Where repaired messages go: as told, or else where they were dead-lettered. */
function targetOf({ from, to }: Pick<RepairOptions, "from" | "to">): RepairTarget {
  if (to !== undefined) return to;
  return "queue" in from ? { queue: from.queue } : { topic: from.topic, subscription: from.subscription };
}

function throwIfGivenUp(abortSignal: AbortSignal | undefined): void {
  if (abortSignal?.aborted) throw new WaybillError("aborted", "the repair was given up.");
}

function sizeOf({ body }: EncodedMessage): number {
  return (body instanceof Uint8Array ? body.length : maxBatchBytes) + propertiesBytes;
}

function idText(id: EncodedMessage["messageId"]): string | undefined {
  return id === undefined
    ? undefined
    : id instanceof Uint8Array
      ? Buffer.from(id).toString("hex")
      : String(id);
}
