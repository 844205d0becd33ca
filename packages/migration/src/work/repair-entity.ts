import type { Pipeline, Transport } from "@waybill/core";
import type { CallOptions, Scheduler } from "@waybill/core/transport";
import { pause } from "@waybill/foundation";
import { exactText } from "../census/census-text.js";
import { repairDeadLetters } from "../repair/repair-dead-letters.js";
import type { LockedDeadLetters, RepairResult } from "../repair/repair-options.js";
import { SessionReceipts } from "./session-receipts.js";
import type { RepairItem } from "./work-item.js";

/** What was done in one dead-letter queue, by all workers together. */
export interface RepairedQueue extends Pick<RepairResult, "skipped" | "possibleDuplicates"> {
  /** How many messages were sent again and removed. */
  readonly resubmitted: number;
  /** Messages that stay because another receiver has kept them locked; undefined if there are none. */
  readonly locked: LockedDeadLetters | undefined;
}

/** What repairing needs of the worker. */
export interface RepairTools extends CallOptions {
  readonly transport: Transport;
  readonly pipeline: Pick<Pipeline, "deserialize" | "serialize">;
  readonly scheduler: Scheduler;
  /** Keeps the receipts, so that another worker goes on from there. */
  readonly save: (progress: string) => Promise<void>;
}

/** How often locks of workers that were killed, or of other receivers, are waited for. */
const maxLockRounds = 3;

/** Repairs a dead-letter queue, from where another worker stopped. */
export async function repairEntity(
  { plan, maxWaitTimeInMs }: RepairItem,
  progress: string | undefined,
  { transport, pipeline, scheduler, save, abortSignal }: RepairTools,
): Promise<string> {
  const receipts = new SessionReceipts(progress, save);
  if (progress === undefined && (await isEmpty(transport, plan.from, abortSignal)))
    return JSON.stringify(nothing);
  for (let round = 1; ; round++) {
    const { skipped, possibleDuplicates, locked } = await repairDeadLetters({
      ...plan,
      transport,
      pipeline,
      receipts,
      maxWaitTimeInMs,
      abortSignal,
    });
    if (locked === undefined || round === maxLockRounds) {
      const repaired: RepairedQueue = {
        resubmitted: receipts.sent,
        skipped,
        possibleDuplicates: [...new Set(possibleDuplicates)],
        locked,
      };
      return JSON.stringify(repaired, exactText);
    }
    await pause(locked.until.getTime() - scheduler.now(), scheduler, abortSignal);
  }
}

const nothing: RepairedQueue = { resubmitted: 0, skipped: {}, possibleDuplicates: [], locked: undefined };

/** To receive from an empty queue takes seconds, to peek does not. */
async function isEmpty(
  transport: Transport,
  from: RepairItem["plan"]["from"],
  abortSignal: AbortSignal | undefined,
): Promise<boolean> {
  const receiver = transport.createReceiver(from, "peekLock");
  try {
    return (await receiver.peek({ maxMessages: 1, abortSignal })).length === 0;
  } finally {
    await receiver.close();
  }
}

/** Reads what {@link repairEntity} returned. */
export function parseRepaired(text: string): RepairedQueue {
  return JSON.parse(text, (key, value: unknown) => {
    if (key === "until") return new Date(value as string);
    return key === "possibleDuplicates" || key === "examples" ? (value as string[]).map(BigInt) : value;
  }) as RepairedQueue;
}
