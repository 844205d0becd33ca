import { WaybillError } from "@waybill/core";
import { type DeadLetterQueue, deadLetterPath } from "./dead-letter-queue.js";
import { placeKey, type ReceiptLog } from "./receipt-log.js";
import { differencesOf, type RepairPlan } from "./repair-plan.js";

/** A repair that began and did not come to its end: it was aborted, its process was killed, or some of its messages were locked. */
export interface InterruptedRepair {
  /** What it was started to do: options for `repairDeadLetters`, which then continues it. */
  readonly plan: RepairPlan;
  /** Whether a function selects its messages: receipts cannot hold it, so that whoever continues has to give the same one. */
  readonly isSelectedByFunction: boolean;
  readonly startedAt: Date;
  /** When it wrote its last receipt. */
  readonly lastReceiptAt: Date;
  /** How many messages it has sent. */
  readonly sent: number;
  /** How many it began to send: whether the broker got them is not known. */
  readonly maybeSent: number;
  /** How many it sent and did not remove from the dead-letter queue: the next run removes them. */
  readonly sentNotRemoved: number;
}

/** What the receipts say about a dead-letter queue. */
export interface RepairHistory {
  /** Undefined if no repair began, or if the last one came to its end. */
  readonly interrupted: InterruptedRepair | undefined;
  /** The messages that were begun and not removed, by place. */
  readonly begun: ReadonlyMap<string, "sending" | "sent">;
  /** The numbers of messages that were sent again although they may have been sent before. */
  readonly possibleDuplicates: readonly bigint[];
}

/** The repair of a dead-letter queue that the receipts hold and that did not come to its end; undefined if there is none. */
export async function interruptedRepair(
  receipts: Pick<ReceiptLog, "read">,
  from: DeadLetterQueue,
): Promise<InterruptedRepair | undefined> {
  return (await readHistory(receipts, from)).interrupted;
}

/** A repair as far as its receipts have been read. */
interface Run extends Pick<InterruptedRepair, "plan" | "isSelectedByFunction" | "startedAt"> {
  lastReceiptAt: Date;
  /** How many were sent and removed whose receipts the log does not keep. */
  readonly removed: number;
  /** The places of the messages that were sent. */
  readonly sent: Set<string>;
}

/** Reads the receipts of a dead-letter queue. Receipts of other queues in the same log do not count. */
export async function readHistory(
  receipts: Pick<ReceiptLog, "read">,
  from: DeadLetterQueue,
): Promise<RepairHistory> {
  const path = deadLetterPath(from).toLowerCase();
  const begun = new Map<string, "sending" | "sent">();
  const possibleDuplicates: bigint[] = [];
  let run: Run | undefined;
  for await (const entry of receipts.read()) {
    if (entry.from.toLowerCase() !== path) continue;
    const lastReceiptAt = new Date(entry.at);
    if (entry.step === "plan") {
      const { plan, isSelectedByFunction, removed = 0 } = entry;
      const startedAt = lastReceiptAt;
      run = { plan, isSelectedByFunction, startedAt, lastReceiptAt, removed, sent: new Set() };
    } else if (entry.step === "ended") {
      run = undefined;
    } else {
      if (run !== undefined) run.lastReceiptAt = lastReceiptAt;
      const key = placeKey(entry);
      if (entry.step === "sending" && begun.get(key) === "sending")
        possibleDuplicates.push(BigInt(entry.sequenceNumber));
      if (entry.step === "removed") begun.delete(key);
      else begun.set(key, entry.step);
      if (entry.step === "sent") run?.sent.add(key);
    }
  }
  const steps = [...begun.values()];
  const interrupted = run && {
    plan: run.plan,
    isSelectedByFunction: run.isSelectedByFunction,
    startedAt: run.startedAt,
    lastReceiptAt: run.lastReceiptAt,
    sent: run.removed + run.sent.size,
    maybeSent: steps.filter((step) => step === "sending").length,
    sentNotRemoved: steps.filter((step) => step === "sent").length,
  };
  return { interrupted, begun, possibleDuplicates };
}

/**
 * Throws `configuration-invalid` if a repair of this queue was interrupted whose plan is another one: continued with other options, it would
 * reach other messages than it was started for.
 */
export function requireSamePlan(
  interrupted: InterruptedRepair,
  plan: RepairPlan,
  isSelectedByFunction: boolean,
): void {
  const differing = differencesOf(interrupted.plan, plan);
  if (interrupted.isSelectedByFunction !== isSelectedByFunction && !differing.includes("select"))
    differing.push("select");
  if (differing.length === 0) return;
  throw new WaybillError(
    "configuration-invalid",
    `The receipts hold an interrupted repair of this queue, begun at ${interrupted.startedAt.toISOString()}, with another plan: ${differing.join(", ")}. ` +
      'Continue it with its own plan, as interruptedRepair() returns it; or, to give it up, set interrupted: "replace".',
    { entityPath: deadLetterPath(plan.from) },
  );
}
