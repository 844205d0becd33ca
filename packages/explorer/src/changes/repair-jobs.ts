import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { WaybillError } from "@waybill/core";
import { type EntityAddress, entityPathOf } from "@waybill/core/transport";
import { openReceiptFile, type RepairResult, repairDeadLetters } from "@waybill/migration/repair";
import { describePlan, planOf } from "@waybill/migration/tools";
import type { ExplorerContext } from "../options/explorer-options.js";
import { RequestError } from "../wire/request-error.js";
import { interruptedIn, type RepairRequest, receiptFile, repairOptions } from "./repair-request.js";

/** The state of a repair. */
export interface RepairJobView {
  readonly id: string;
  /** The dead-letter queue. */
  readonly path: string;
  /** What it does, in words: target, selection, bodies, rate and limit. */
  readonly plan: readonly string[];
  readonly state: "running" | "cancelling" | "cancelled" | "done" | "failed";
  readonly resubmitted: number;
  /** How many more it began to send before it failed: whether the broker got them is not known. */
  readonly maybeSent: number;
  /** Messages that an interrupted repair had sent, and that this one only removed. */
  readonly resumed: number;
  readonly skipped: Readonly<Partial<Record<string, number>>>;
  readonly possibleDuplicates: readonly string[];
  /** Messages that could not be received, because a repair that was killed or another receiver holds their locks. */
  readonly locked: { readonly count: number; readonly until: string } | undefined;
  /** The file of receipts; `waybill dead-letters repair --receipts` can resume with it, too. */
  readonly receipts: string;
  readonly error: string | undefined;
}

interface Job {
  view: RepairJobView;
  readonly controller: AbortController;
  readonly ended: Promise<void>;
}

/** Errors of a broker that is gone, at least for now. */
const unreachable: ReadonlySet<string> = new Set(["connection-lost", "timeout", "closed"]);

/** How many jobs are kept. */
const maxJobs = 100;

/** The repairs since the explorer was started; one at a time for each queue. */
export class RepairJobs {
  readonly #context: ExplorerContext;
  readonly #jobs = new Map<string, Job>();
  /** The queues, in lower case, that something else works on now. */
  readonly #taken = new Set<string>();
  #count = 0;

  constructor(context: ExplorerContext) {
    this.#context = context;
  }

  /** Starts a repair, or continues the interrupted one of the queue's receipts with its own plan. Throws `RequestError`. */
  start(request: RepairRequest): RepairJobView {
    const path = entityPathOf(request.from);
    this.#requireFree(path);
    const id = String(++this.#count);
    const receipts = receiptFile(this.#context, request.from);
    const controller = new AbortController();
    const counts = { resubmitted: 0, maybeSent: 0, resumed: 0, skipped: {} };
    const nothing = { ...counts, possibleDuplicates: [], locked: undefined };
    const plan = describePlan(planOf({ ...this.#context, ...request }));
    const view: RepairJobView = { id, path, plan, state: "running", ...nothing, receipts, error: undefined };
    const job: Job = { view, controller, ended: Promise.resolve() };
    this.#jobs.set(id, job);
    Object.assign(job, { ended: this.#run(job, request) });
    this.#forgetOldest();
    return job.view;
  }

  /** Does something else with a queue, during which no repair of it can be started. Throws `RequestError` while one is running. */
  async exclusively<Result>(from: EntityAddress, work: () => Promise<Result>): Promise<Result> {
    const path = entityPathOf(from);
    this.#requireFree(path);
    this.#taken.add(path.toLowerCase());
    try {
      return await work();
    } finally {
      this.#taken.delete(path.toLowerCase());
    }
  }

  #requireFree(path: string): void {
    const name = path.toLowerCase();
    if (this.list().some((job) => job.path.toLowerCase() === name && isLive(job)))
      throw new RequestError(409, `A repair of ${path} is running.`);
    if (this.#taken.has(name))
      throw new RequestError(
        409,
        `Messages of ${path} are being deleted or sent again: wait until that has ended.`,
      );
  }

  /** Ends a repair after the current batch. */
  cancel(id: string): RepairJobView {
    const job = this.#jobs.get(id);
    if (job === undefined) throw new RequestError(404, "There is no such repair.");
    if (job.view.state === "running") {
      job.view = { ...job.view, state: "cancelling" };
      job.controller.abort();
    }
    return job.view;
  }

  /** All repairs, the newest first. */
  list(): RepairJobView[] {
    return Array.from(this.#jobs.values(), ({ view }) => view).reverse();
  }

  /** Cancels running repairs and waits until they have ended. */
  async close(): Promise<void> {
    for (const { controller } of this.#jobs.values()) controller.abort();
    await Promise.all(Array.from(this.#jobs.values(), ({ ended }) => ended));
  }

  async #run(job: Job, request: RepairRequest): Promise<void> {
    const onProgress = (result: RepairResult) => {
      job.view = { ...job.view, ...resultView(result) };
    };
    let sentBefore = 0;
    try {
      await mkdir(dirname(job.view.receipts), { recursive: true });
      if (request.interrupted !== "replace")
        sentBefore = (await interruptedIn(this.#context, request.from))?.sent ?? 0;
      const receipts = await openReceiptFile(job.view.receipts);
      try {
        const abortSignal = job.controller.signal;
        const options = await repairOptions(this.#context, request, abortSignal);
        onProgress(await repairDeadLetters({ ...options, receipts, abortSignal, onProgress }));
        job.view = { ...job.view, state: "done" };
      } finally {
        await receipts.close();
      }
    } catch (error) {
      const isCancelled =
        job.controller.signal.aborted && error instanceof WaybillError && error.code === "aborted";
      job.view = isCancelled
        ? { ...job.view, state: "cancelled" }
        : {
            ...job.view,
            ...(await this.#noted(request, sentBefore)),
            state: "failed",
            error: errorText(error),
          };
    }
  }

  /** What a repair that failed did according to its receipts: it may have sent messages since it last told its progress. */
  async #noted(
    request: RepairRequest,
    sentBefore: number,
  ): Promise<Pick<RepairJobView, "resubmitted" | "maybeSent"> | undefined> {
    const noted = await interruptedIn(this.#context, request.from).catch(() => undefined);
    return noted && { resubmitted: noted.sent - sentBefore, maybeSent: noted.maybeSent };
  }

  #forgetOldest(): void {
    for (const [id, { view }] of this.#jobs) {
      if (this.#jobs.size <= maxJobs) return;
      if (!isLive(view)) this.#jobs.delete(id);
    }
  }
}

function isLive({ state }: RepairJobView): boolean {
  return state === "running" || state === "cancelling";
}

function resultView({ possibleDuplicates, locked, ...counts }: RepairResult) {
  return {
    ...counts,
    possibleDuplicates: possibleDuplicates.map(String),
    locked: locked && { count: locked.count, until: locked.until.toISOString() },
  };
}

function errorText(error: unknown): string {
  if (!(error instanceof WaybillError)) return "The repair failed.";
  const text = `${error.code}: ${error.text}`;
  if (!unreachable.has(error.code)) return text;
  return `The broker does not answer (${text.replace(/\.$/, "")}). When it does again, resume the repair: its receipts hold what was sent.`;
}
