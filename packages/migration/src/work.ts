/** Census and repair of many entities by many processes, which share the work through a queue of their own. */

export type { WorkError } from "./work/item-state.js";
export type { RepairedQueue } from "./work/repair-entity.js";
export type { FinishedItem, WorkerOptions } from "./work/run-worker.js";
export { runWorker } from "./work/run-worker.js";
export { type ShareCensusOptions, shareCensus } from "./work/share-census.js";
export {
  type EachRepair,
  type SharedRepair,
  type ShareRepairOptions,
  shareRepair,
} from "./work/share-repair.js";
export type { SharedJob, SharedJobProgress } from "./work/shared-job.js";
export type { WorkPipeline } from "./work/work-options.js";
