import { systemScheduler } from "@waybill/core/transport";
import { pause } from "@waybill/foundation";
import type { RepairJobView } from "../changes/repair-jobs.js";
import { type EntityView, listEntities } from "../reads/entities.js";
import { describeError } from "../wire/request-error.js";
import { toWire } from "../wire/to-wire.js";
import type { LineStream } from "./line-stream.js";
import type { Call } from "./route.js";

/** What an open page receives whenever it changes. */
export interface LiveView {
  readonly at: string;
  /** As they were last listed; absent before the first time. */
  readonly entities?: readonly EntityView[];
  /** Why they cannot be listed now. */
  readonly error?: string;
  readonly repairs: readonly RepairJobView[];
}

/** How often the repairs are looked at, in milliseconds. */
const repairsIntervalMs = 1_000;

/** Streams the counts, and the repairs: these also while the broker does not answer, since what was sent is known without it. */
export async function streamLive({ context, jobs, abortSignal }: Call, lines: LineStream): Promise<void> {
  let listed: Pick<LiveView, "entities" | "error"> = {};
  let last = "";
  const write = async () => {
    const state = { ...listed, repairs: jobs.list() };
    const text = toWire(state);
    if (text !== last) lines.write({ at: new Date().toISOString(), ...state } satisfies LiveView);
    last = text;
    await lines.drained();
  };
  const repeat = async (intervalMs: number, work: () => Promise<void>) => {
    while (!abortSignal.aborted) {
      await work();
      await pause(intervalMs, systemScheduler, abortSignal);
    }
  };
  await Promise.all([
    repeat(context.refreshIntervalInMs, async () => {
      try {
        listed = { entities: await listEntities(context, abortSignal) };
      } catch (error) {
        listed = { ...listed, error: describeError(error).text };
      }
      await write();
    }),
    repeat(repairsIntervalMs, write),
  ]);
}
