import { parseDuration } from "../input/parse-duration.js";
import { brokerCommand, concurrencyOption, withConnections } from "./common-options.js";
import type { WaybillCommand } from "./waybill-command.js";

/** `waybill worker`: works on what other commands share through a queue. */
export function workerCommand(): WaybillCommand {
  return withConnections(brokerCommand("worker"))
    .summary("work on what other commands share through a queue")
    .description(
      "Counts and repairs entities for `waybill census`, `waybill verdict` and `waybill dead-letters repair-all` with the same --work-queue. Start as many as you " +
        "like, on any machines, all with the configuration of those who ask; each can be killed at any time. The queue is yours, needs sessions, and is " +
        "for this alone.",
    )
    .requiredOption("--work-queue <queue>", "the queue to take work from")
    .addOption(concurrencyOption())
    .option("--idle <duration>", "end after so long without work: 5m; default: never", parseDuration)
    .examples(`
  waybill worker --work-queue jobs
  waybill worker --work-queue jobs --concurrency 8 --idle 3s

Needs the rights Listen and Send on the work queue, Listen on what it counts, and for repairs Send on the targets.`)
    .runs(async () => (await import("../actions/worker.js")).worker);
}
