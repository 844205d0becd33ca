import { WaybillError } from "@waybill/core";
import type { Scheduler } from "@waybill/core/transport";
import { steadyNowOf, underEither } from "@waybill/foundation";
import { chainOf } from "../census/take-census.js";
import { countEntity } from "./count-entity.js";
import { type FinishedState, type ItemState, isFinished } from "./item-state.js";
import type { Lease } from "./lease.js";
import { repairEntity } from "./repair-entity.js";
import { pathOf, type WorkChain, type WorkItem } from "./work-item.js";
import type { WorkOptions, WorkPipeline } from "./work-options.js";

/** What work on an item needs. */
export interface WorkTools extends Omit<WorkOptions, "workQueue" | "maxConcurrentItems"> {
  readonly scheduler: Scheduler;
}

/** How often what was counted so far is saved, in milliseconds. A worker that is killed loses at most this much. */
const saveIntervalMs = 2_000;

/** So many workers in a row end while they work on an item without getting on: then the item ends them, not somebody else. */
const maxAttempts = 20;

/**
 * Works on an item to its end, and keeps its result in the state of its session, whose lock the caller holds. Resolves with undefined when the lock
 * was lost: another worker goes on. Rejects with `configuration-invalid` for an item of another chain, with `aborted`, and when the broker
 * cannot be reached.
 */
export async function workOnItem(
  lease: Lease<ItemState>,
  item: WorkItem,
  tools: WorkTools,
): Promise<FinishedState | undefined> {
  const state = await lease.read();
  if (state !== undefined && isFinished(state)) return state;
  requireSameChain(item, tools.pipeline);
  const attempts = (state?.attempts ?? 0) + 1;
  const finish = async (ending: FinishedState) => {
    await lease.write({ attempts, ...ending });
    return ending;
  };
  try {
    if (attempts > maxAttempts) return await finish({ error: endless });
    await lease.write({ ...state, attempts });
    const result = await underEither(lease.signal, tools.abortSignal, (abortSignal) =>
      resultOf(item, state?.progress, lease, { ...tools, abortSignal }),
    );
    return await finish({ result });
  } catch (error) {
    if (tools.abortSignal?.aborted || !(error instanceof WaybillError)) throw error;
    if (lease.signal.aborted || error.code === "session-lock-lost") return undefined;
    if (error.retryable || error.code === "closed") throw error;
    return await finish({ error: { code: error.code, text: error.text } });
  }
}

const endless = {
  code: "internal",
  text: `${maxAttempts} workers ended while they worked on this without getting on.`,
} as const;

async function resultOf(
  item: WorkItem,
  progress: string | undefined,
  lease: Lease<ItemState>,
  tools: WorkTools,
): Promise<string> {
  const { scheduler } = tools;
  let savedAt = steadyNowOf(scheduler);
  const save = async (more: string) => {
    await lease.write({ attempts: 0, progress: more });
    savedAt = steadyNowOf(scheduler);
  };
  if (item.kind === "repair") return await repairEntity(item, progress, { ...tools, save });
  const isSaveDue = () => steadyNowOf(scheduler) - savedAt >= saveIntervalMs;
  return await countEntity(item, progress, { ...tools, save, isSaveDue });
}

function requireSameChain(item: WorkItem, pipeline: WorkPipeline): void {
  const own = chainOf(pipeline);
  if (textOf(own) === textOf(item.chain)) return;
  throw new WaybillError(
    "configuration-invalid",
    `The job "${item.job}" is for the chain ${summaryOf(item.chain)}, and this worker has ${summaryOf(own)}. ` +
      "Start every worker with the configuration of those who ask, and give each chain a work queue of its own.",
    { entityPath: pathOf(item) },
  );
}

function textOf({ serializers, messageTypes }: WorkChain): string {
  return JSON.stringify([
    serializers,
    messageTypes.map(({ name, aliases, versions }) => [name, aliases, versions]),
  ]);
}

function summaryOf({ serializers, messageTypes }: WorkChain): string {
  const types = messageTypes.map(({ name, versions }) => `${name} (${versions.join(", ")})`);
  return `${serializers.join(", ")} with ${types.length === 0 ? "no message types" : types.join(", ")}`;
}
