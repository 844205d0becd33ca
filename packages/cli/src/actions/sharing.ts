import type { ShareCensusOptions } from "@waybill/migration/work";
import { UsageError } from "../errors/usage-error.js";
import type { BrokerContext, SharedWorkOptions } from "./action-context.js";

/** Refuses options that only shared work has. */
export function checkSharing({ workQueue, job, replaceJob, concurrency }: SharedWorkOptions): void {
  if (workQueue === undefined && (job !== undefined || replaceJob === true || concurrency !== undefined))
    throw new UsageError("--job, --replace-job and --concurrency need --work-queue.");
}

/** The options of shared work that all commands have; undefined if the work is not to be shared. */
export function sharing(
  { terminal }: Pick<BrokerContext, "terminal">,
  { workQueue, job, replaceJob, concurrency }: SharedWorkOptions,
):
  | Pick<ShareCensusOptions, "workQueue" | "job" | "interrupted" | "maxConcurrentItems" | "onResumed">
  | undefined {
  if (workQueue === undefined) return undefined;
  return {
    workQueue,
    job,
    interrupted: replaceJob === true ? "replace" : "resume",
    maxConcurrentItems: concurrency,
    onResumed: (startedAt) =>
      terminal.note(
        `Continues the interrupted job that began at ${startedAt.toISOString()}. To begin again: --replace-job.`,
      ),
  };
}
