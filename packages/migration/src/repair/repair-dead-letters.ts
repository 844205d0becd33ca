import { type EncodedMessage, WaybillError } from "@waybill/core";
import {
  type DeliveredMessage,
  type Scheduler,
  systemScheduler,
  type TransportReceiver,
  type TransportSender,
} from "@waybill/core/transport";
import { required } from "@waybill/foundation";
import { deadLetterAddress, deadLetterPath } from "./dead-letter-queue.js";
import { LockedElsewhere } from "./locked-elsewhere.js";
import { LockedMessages } from "./locked-messages.js";
import { Pace } from "./pace.js";
import { type PlanPurpose, planResubmission } from "./plan-resubmission.js";
import { createMemoryReceipts, placeKey, placeOf, type Receipt, type ReceiptLog } from "./receipt-log.js";
import { readHistory, requireSamePlan } from "./repair-history.js";
import {
  checkRepairOptions,
  type RepairOptions,
  type RepairResult,
  type RepairSkip,
  targetOf,
} from "./repair-options.js";
import { planOf } from "./repair-plan.js";
import { resubmitCountOf } from "./resubmission.js";

/** Stays below the largest batch of the Standard tier, 256 KB. */
const maxBatchBytes = 192 * 1024;
const maxBatchMessages = 100;
/** Assumed size of a message's properties. */
const propertiesBytes = 1024;

/**
 * Sends dead-lettered messages again and removes each from its queue only after it was sent. Keeps all properties except those that
 * dead-lettering added. Messages that are not sent stay in the queue; so does every readable one that could not be read, or would be read as
 * another value, as it would be sent. Rejects when the broker fails; rerun with the same receipts to resume. Rejects with
 * `configuration-invalid` if they hold an interrupted repair with another plan.
 */
export async function repairDeadLetters(options: RepairOptions): Promise<RepairResult> {
  return await new Repair(options).run();
}

/** Which dead letter to send again with changes, from where to where, and what to send for it. */
export interface ResendEditedOptions
  extends Pick<
    RepairOptions,
    | "transport"
    | "pipeline"
    | "from"
    | "to"
    | "throughTopic"
    | "includeUndeserializable"
    | "targetDetectsDuplicates"
    | "maxWaitTimeInMs"
    | "receipts"
    | "abortSignal"
  > {
  /** The sequence number of the dead letter. */
  readonly number: bigint;
  /** What to send for it: what `unchangedResubmission` returns, with the changes. */
  readonly message: EncodedMessage;
}

/**
 * Sends another message in place of one dead letter, and removes the dead letter only after it was sent. The dead letter is locked before that, so
 * that nobody else sends it meanwhile: nothing is sent for one that is gone or that another receiver holds, as the result says. A message that the
 * chain cannot read is not sent unless `includeUndeserializable` is set. With receipts, a dead letter that was sent and not removed is never sent
 * again: the next repair removes it. Rejects as `repairDeadLetters` does.
 */
export async function resendEdited({
  number,
  message,
  ...options
}: ResendEditedOptions): Promise<RepairResult> {
  const select = { number: [number] };
  return await new Repair({ ...options, select, limit: 1 }, { number, message }).run();
}

type Edit = Pick<ResendEditedOptions, "number" | "message">;

type Counted = {
  resubmitted: number;
  resumed: number;
  skipped: Partial<Record<RepairSkip, number>>;
  possibleDuplicates: bigint[];
  locked: RepairResult["locked"];
};

/** A dead letter and the message to send for it. */
interface Resubmission {
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
  readonly #locked: LockedMessages;
  readonly #lockedElsewhere: LockedElsewhere;
  /** Messages that an earlier repair, or an earlier batch of this one, began to send and did not remove. */
  readonly #begun = new Map<string, "sending" | "sent">();
  readonly #result: Counted = {
    resubmitted: 0,
    resumed: 0,
    skipped: {},
    possibleDuplicates: [],
    locked: undefined,
  };
  /** When the repair began, before all interruptions. */
  #startedAt: number;
  /** How many were sent before the interruptions. */
  #sentBefore = 0;
  /** What is sent for one dead letter instead of itself. Receipts hold no plan of it: its body must not be there. */
  readonly #edit: Edit | undefined;

  constructor(options: RepairOptions, edit?: Edit) {
    checkRepairOptions("repairDeadLetters", options, {});
    this.#edit = edit;
    const { transport, from } = options;
    const address = deadLetterAddress(from);
    this.#options = options;
    this.#from = deadLetterPath(from);
    const target = targetOf(options);
    this.#to = "queue" in target ? target.queue : target.topic;
    this.#scheduler = transport.scheduler ?? systemScheduler;
    this.#startedAt = this.#scheduler.now();
    this.#receipts = options.receipts ?? createMemoryReceipts();
    this.#pace = new Pace(options.maxPerSecond, this.#scheduler);
    this.#receiver = transport.createReceiver(address, "peekLock");
    this.#sender = transport.createSender(this.#to);
    this.#locked = new LockedMessages(this.#receiver);
    this.#lockedElsewhere = new LockedElsewhere(this.#receiver, this.#scheduler);
  }

  async run(): Promise<RepairResult> {
    try {
      await this.#begin();
      while (this.#isOwing() && (await this.#repairBatch()));
      if (this.#isOwing()) await this.#repairLeftovers();
      if (this.#result.locked === undefined) await this.#noteEnd();
      return this.#snapshot();
    } finally {
      await this.#locked.release();
      await Promise.all([this.#receiver.close(), this.#sender.close()]);
    }
  }

  /** Continues the interrupted repair of the receipts, or notes the plan of a new one. */
  async #begin(): Promise<void> {
    const plan = planOf(this.#options);
    const isSelectedByFunction = typeof this.#options.select === "function";
    const { interrupted, begun, possibleDuplicates } = await readHistory(this.#receipts, this.#options.from);
    for (const [key, step] of begun) this.#begun.set(key, step);
    for (const number of possibleDuplicates) this.#notePossibleDuplicate(number);
    if (interrupted !== undefined && this.#options.interrupted !== "replace") {
      requireSamePlan(interrupted, plan, isSelectedByFunction);
      this.#startedAt = interrupted.startedAt.getTime();
      this.#sentBefore = interrupted.sent;
      return;
    }
    if (this.#edit !== undefined) return;
    const at = new Date(this.#startedAt).toISOString();
    await this.#receipts.append([{ step: "plan", from: this.#from, plan, isSelectedByFunction, at }]);
  }

  /** Tries once more to receive what still waits; what cannot be received then is locked by somebody else. */
  async #repairLeftovers(): Promise<void> {
    const isPlanned = async (message: DeliveredMessage) => {
      if (this.#locked.has(message)) return false;
      if (this.#isSent(message)) return true;
      return this.#left() > 0 && typeof (await this.#plan(message, "rehearse")) !== "string";
    };
    const waiting = await this.#lockedElsewhere.find(isPlanned, this.#options);
    if (waiting.size === 0) return;
    while (this.#isOwing() && (await this.#repairBatch()));
    if (!this.#isOwing()) return;
    const left = await this.#lockedElsewhere.find(
      async (message) => waiting.has(message.sequenceNumber) && !this.#locked.has(message),
      this.#options,
    );
    this.#result.locked = this.#lockedElsewhere.report(left);
  }

  /** Receives one batch and resubmits it; false when there are no new messages. */
  async #repairBatch(): Promise<boolean> {
    const { abortSignal, onProgress, maxWaitTimeInMs = 2_000 } = this.#options;
    const left = this.#left();
    // The one that is edited may be behind all others.
    const isBounded = left > 0 && this.#edit === undefined;
    const maxMessages = isBounded ? this.#pace.atOnce(Math.min(maxBatchMessages, left)) : maxBatchMessages;
    const batch = await this.#receiver.receive({ maxMessages, maxWaitTimeInMs, abortSignal });
    this.#lockedElsewhere.observe(batch);
    const fresh = batch.filter((message) => !this.#locked.holdIfSeen(message));
    if (fresh.length === 0) return false;
    const sent: DeliveredMessage[] = [];
    try {
      await this.#sendAll(fresh, sent);
    } catch (error) {
      if (this.#options.abortSignal?.aborted) await this.#endAborted(fresh, sent);
      throw error;
    }
    await this.#remove(sent);
    onProgress?.(this.#snapshot());
    return true;
  }

  /** Sends the messages in batches, and adds those that the broker accepted to `sent`. */
  async #sendAll(fresh: readonly DeliveredMessage[], sent: DeliveredMessage[]): Promise<void> {
    let pending: Resubmission[] = [];
    let bytes = 0;
    for (const delivered of fresh) {
      if (this.#isSent(delivered)) {
        this.#result.resumed++;
        sent.push(delivered);
        continue;
      }
      if (this.#left() <= 0) {
        this.#locked.add(delivered);
        continue;
      }
      const message = await this.#plan(delivered, "send");
      if (typeof message === "string") {
        this.#skip(delivered, message);
        continue;
      }
      const size = estimatedSize(message);
      if (bytes + size > maxBatchBytes && pending.length > 0) {
        sent.push(...(await this.#send(pending)));
        pending = [];
        bytes = 0;
      }
      pending.push({ delivered, message });
      bytes += size;
    }
    if (pending.length > 0) sent.push(...(await this.#send(pending)));
  }

  /** After an abort: removes what was sent and marks the other messages to be unlocked at the end, so that a resumed repair finds them at once. */
  async #endAborted(fresh: readonly DeliveredMessage[], sent: readonly DeliveredMessage[]): Promise<void> {
    for (const message of fresh) if (!sent.includes(message)) this.#locked.add(message);
    try {
      await this.#remove(sent);
      this.#options.onProgress?.(this.#snapshot());
    } catch {
      // The caller gets the abort error. Messages that were sent but not removed have a receipt; the next repair removes them.
    }
  }

  async #plan(delivered: DeliveredMessage, purpose: PlanPurpose): Promise<EncodedMessage | RepairSkip> {
    const { pipeline, abortSignal } = this.#options;
    if (this.#edit !== undefined) return await this.#planEdited(delivered, this.#edit);
    if (resubmitCountOf(delivered) > 0 && Number(delivered.enqueuedTimeUtc) >= this.#startedAt)
      return "failed-again";
    const outcome = await pipeline.deserialize(delivered as EncodedMessage, { abortSignal });
    return await planResubmission({ message: delivered, outcome }, this.#options, purpose);
  }

  async #planEdited(
    delivered: DeliveredMessage,
    { number, message }: Edit,
  ): Promise<EncodedMessage | RepairSkip> {
    if (delivered.sequenceNumber !== number) return "not-selected";
    const { pipeline, abortSignal, includeUndeserializable } = this.#options;
    const { status } = await pipeline.deserialize(message, { abortSignal });
    if (status === "unavailable") return status;
    return status === "decoded" || includeUndeserializable === true ? message : "would-be-unreadable";
  }

  /** Sends the messages, with receipts before and after; returns those that the broker accepted. */
  async #send(planned: readonly Resubmission[]): Promise<DeliveredMessage[]> {
    await this.#pace.wait(planned.length, this.#options.abortSignal);
    // From here to the last receipt the signal is ignored: a batch that may have been sent could only be sent again.
    await this.#note("sending", planned);
    for (const { delivered } of planned) {
      if (this.#begun.get(placeKey(placeOf(delivered))) === "sending")
        this.#notePossibleDuplicate(delivered.sequenceNumber);
    }
    const sent = await this.#sendTogetherOrEach(planned);
    for (const { delivered } of sent) this.#begun.set(placeKey(placeOf(delivered)), "sent");
    await this.#note("sent", sent);
    this.#result.resubmitted += sent.length;
    return sent.map(({ delivered }) => delivered);
  }

  async #sendTogetherOrEach(planned: readonly Resubmission[]): Promise<readonly Resubmission[]> {
    try {
      await this.#sender.send(planned.map(({ message }) => message));
      return planned;
    } catch (error) {
      if (!(error instanceof WaybillError) || error.code !== "message-too-large") throw error;
      const [only, second] = planned;
      if (only !== undefined && second === undefined) {
        this.#skip(only.delivered, "too-large");
        return [];
      }
      const sent: Resubmission[] = [];
      for (const one of planned) sent.push(...(await this.#sendTogetherOrEach([one])));
      return sent;
    }
  }

  async #remove(sent: readonly DeliveredMessage[]): Promise<void> {
    const removed = await Promise.all(
      sent.map(async (delivered) => {
        try {
          await this.#receiver.complete(required(delivered.settlement, "The lock of a dead letter"));
          this.#begun.delete(placeKey(placeOf(delivered)));
          return [delivered];
        } catch (error) {
          // It is delivered again, and its receipt says that it was sent.
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

  async #noteEnd(): Promise<void> {
    if (this.#edit !== undefined) return;
    await this.#receipts.append([
      { step: "ended", from: this.#from, at: new Date(this.#scheduler.now()).toISOString() },
    ]);
  }

  #notePossibleDuplicate(sequenceNumber: bigint): void {
    if (!this.#options.targetDetectsDuplicates) this.#result.possibleDuplicates.push(sequenceNumber);
  }

  #skip(delivered: DeliveredMessage, why: RepairSkip): void {
    this.#result.skipped[why] = (this.#result.skipped[why] ?? 0) + 1;
    this.#locked.add(delivered);
  }

  /** Whether there is more to send or, of what was sent before an interruption, more to remove. */
  #isOwing(): boolean {
    return this.#left() > 0 || [...this.#begun.values()].includes("sent");
  }

  #isSent(message: DeliveredMessage): boolean {
    return this.#begun.get(placeKey(placeOf(message))) === "sent";
  }

  #left(): number {
    return (this.#options.limit ?? Number.POSITIVE_INFINITY) - this.#sentBefore - this.#result.resubmitted;
  }

  #snapshot(): RepairResult {
    const { skipped, possibleDuplicates } = this.#result;
    return { ...this.#result, skipped: { ...skipped }, possibleDuplicates: [...possibleDuplicates] };
  }
}

function estimatedSize({ body }: EncodedMessage): number {
  return (body instanceof Uint8Array ? body.length : maxBatchBytes) + propertiesBytes;
}

function idText(id: EncodedMessage["messageId"]): string | undefined {
  if (id === undefined) return undefined;
  return id instanceof Uint8Array ? Buffer.from(id).toString("hex") : String(id);
}
