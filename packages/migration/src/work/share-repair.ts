import { requireKnownOptions } from "@waybill/core/serializer";
import { exactText } from "../census/census-text.js";
import { chainOf } from "../census/take-census.js";
import { type DeadLetterQueue, deadLetterPath } from "../repair/dead-letter-queue.js";
import { checkRepairOptions, type RepairOptions } from "../repair/repair-options.js";
import { planOf, type RepairPlan } from "../repair/repair-plan.js";
import type { DeadLetterCriteria } from "../repair/select-dead-letters.js";
import type { FinishedState, WorkError } from "./item-state.js";
import { parseRepaired, type RepairedQueue } from "./repair-entity.js";
import { Job, type SharedJob, type SharedJobOptions, sharedJobOptionNames } from "./shared-job.js";
import { pathOf, type RepairItem } from "./work-item.js";

/** How each queue is repaired: options of a repair, with criteria instead of a function, which no other process can be given. */
export type EachRepair = Pick<
  RepairOptions,
  | "to"
  | "throughTopic"
  | "body"
  | "includeUndeserializable"
  | "maxResubmits"
  | "maxPerSecond"
  | "maxWaitTimeInMs"
> & { readonly select?: DeadLetterCriteria | undefined };

/** The repair of many dead-letter queues, by many processes. */
export interface ShareRepairOptions extends SharedJobOptions {
  /** The dead-letter queues. */
  readonly from: readonly DeadLetterQueue[];
  /** How each of them is repaired. Default: everything that can be read, as it is, to the queue it was dead-lettered in. */
  readonly repair?: EachRepair | undefined;
  /**
   * Tells for each dead-letter queue whether its target detects duplicates, as `targetDetectsDuplicates` of a repair. Default: none does.
   */
  readonly detectsDuplicates?: ((from: DeadLetterQueue) => boolean) | undefined;
}

/** What became of one dead-letter queue. */
export interface SharedRepair {
  /** `orders/$DeadLetterQueue`. */
  readonly from: string;
  /** Undefined if it could not be repaired. */
  readonly repaired: RepairedQueue | undefined;
  /** Why not. */
  readonly error: WorkError | undefined;
}

/**
 * Repairs dead-letter queues together with all workers of a queue: each is one item, repaired by whoever locks its session, with the receipts in the
 * session's state. `maxPerSecond` holds for each queue. Call it again after an interruption, with the same `job`.
 */
export async function shareRepair(options: ShareRepairOptions): Promise<SharedJob<readonly SharedRepair[]>> {
  const { job: name = "repair", from, repair = {} } = options;
  const { maxWaitTimeInMs = 2_000 } = repair;
  const plans = plansOf(options);
  const chain = chainOf(options.pipeline);
  const itemsOf = (run: string) => [
    plans.map((plan): RepairItem => ({ kind: "repair", job: name, run, chain, plan, maxWaitTimeInMs })),
  ];
  const job = await Job.open<RepairItem>(options, name, askOf(options), itemsOf);
  try {
    const items = itemsOf(job.run);
    const repairs = new Map<string, SharedRepair>();
    await job.finish(items, (item, ending) => repairs.set(pathOf(item), repairOf(item, ending)));
    const result = from.flatMap((queue) => repairs.get(deadLetterPath(queue)) ?? []);
    return job.shared(result, items);
  } catch (error) {
    await job.close();
    throw error;
  }
}

function plansOf(options: ShareRepairOptions): readonly RepairPlan[] {
  requireKnownOptions("shareRepair", options, {
    ...sharedJobOptionNames,
    from: true,
    repair: true,
    detectsDuplicates: true,
  });
  const { transport, pipeline, detectsDuplicates } = options;
  return options.from.map((from) => {
    const targetDetectsDuplicates = detectsDuplicates?.(from);
    const repair: RepairOptions = { transport, pipeline, from, targetDetectsDuplicates, ...options.repair };
    checkRepairOptions("shareRepair", repair, {});
    return planOf(repair);
  });
}

/** What is asked for, but not of which queues: one that is created or deleted meanwhile does not matter to the others. */
function askOf({ pipeline, repair }: ShareRepairOptions): string {
  return JSON.stringify(["repair", chainOf(pipeline), repair], exactText);
}

function repairOf(item: RepairItem, { result, error }: FinishedState): SharedRepair {
  const repaired = result === undefined ? undefined : parseRepaired(result);
  return { from: deadLetterPath(item.plan.from), repaired, error };
}
