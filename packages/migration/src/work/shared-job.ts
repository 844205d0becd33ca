import { randomBytes } from "node:crypto";
import { WaybillError } from "@waybill/core";
import { type OptionNames, requireInteger } from "@waybill/core/serializer";
import type { CallOptions } from "@waybill/core/transport";
import { pause, steadyNowOf, underEither } from "@waybill/foundation";
import type { FinishedState, ItemState, JobState } from "./item-state.js";
import type { Lease } from "./lease.js";
import { sessionIdOf, type WorkItem } from "./work-item.js";
import { workOnItem } from "./work-on-item.js";
import type { WorkOptions } from "./work-options.js";
import { removeMessages, WorkQueue } from "./work-queue.js";

/** How to share a job among the workers of a queue. */
export interface SharedJobOptions extends WorkOptions {
  /** The name under which an interrupted job is found again: letters, digits, `.`, `_` and `-`, at most 80. */
  readonly job?: string | undefined;
  /**
   * If the queue holds an interrupted job of this name: `"resume"` continues it, and rejects with `configuration-invalid` if it was asked for with
   * other options; `"replace"` gives it up and begins this one. Default: `"resume"`.
   */
  readonly interrupted?: "resume" | "replace" | undefined;
  /** Called when an interrupted job is continued, with when it began. */
  readonly onResumed?: ((startedAt: Date) => void) | undefined;
  /** Called after each item, whoever worked on it. */
  readonly onItems?: ((progress: SharedJobProgress) => void) | undefined;
}

/** The names of the options of every shared job. */
export const sharedJobOptionNames: OptionNames<SharedJobOptions> = {
  transport: true,
  pipeline: true,
  workQueue: true,
  originOf: true,
  maxConcurrentItems: true,
  abortSignal: true,
  job: true,
  interrupted: true,
  onResumed: true,
  onItems: true,
};

/** How far a job is. */
export interface SharedJobProgress {
  readonly finished: number;
  readonly items: number;
}

/** The result of a shared job, which also waits in the queue until it is removed there. Disposing of it keeps it there, and lets others ask for it. */
export interface SharedJob<Result> extends AsyncDisposable {
  readonly result: Result;
  /** Removes the job from the queue. Call it once the result is kept: a process that ends before can ask again and gets the same result. */
  remove(): Promise<void>;
}

/** How long another process may hold a lock that it does not renew any more: the longest lock of Service Bus, in milliseconds. */
const longestLockMs = 300_000;

/** How long to wait before sessions that others hold are tried again, in milliseconds. */
const pollMs = 1_000;

/** An item of a job, in one of its waves. */
type Items<Item extends WorkItem> = readonly (readonly Item[])[];

/**
 * Puts the items of a job into the work queue, wave by wave, works on them like every worker, and resolves with the ending of each. While it runs it
 * holds the session of the job's name, so that nobody else asks for the same; whoever asks again after it was killed finds what is
 * finished.
 */
export class Job<Item extends WorkItem> {
  readonly #options: SharedJobOptions;
  readonly #name: string;
  readonly #queue: WorkQueue;
  readonly #lease: Lease<JobState>;
  #state: JobState;

  private constructor(
    options: SharedJobOptions,
    name: string,
    queue: WorkQueue,
    lease: Lease<JobState>,
    state: JobState,
  ) {
    this.#options = options;
    this.#name = name;
    this.#queue = queue;
    this.#lease = lease;
    this.#state = state;
  }

  /** Continues the job of this name, or begins it. `ask` says what is asked for; `itemsOf` makes the items of a run. */
  static async open<Item extends WorkItem>(
    options: SharedJobOptions,
    name: string,
    ask: string,
    itemsOf: (run: string) => Items<Item>,
  ): Promise<Job<Item>> {
    requireInteger("maxConcurrentItems", options.maxConcurrentItems ?? 1, 1);
    if (!/^[\w.-]{1,80}$/.test(name))
      throw new TypeError("job must be 1 to 80 letters, digits, dots, underscores and hyphens.");
    const queue = new WorkQueue(options.transport, options.workQueue);
    const lease = await lockJob(queue, name, options);
    try {
      const begun = await lease.read();
      const fresh = newState(queue, ask);
      const job = new Job<Item>(options, name, queue, lease, begun ?? fresh);
      if (begun === undefined) await lease.write(fresh);
      else if (begun.isHandedOver || options.interrupted === "replace") {
        await job.#removeItems(itemsOf(begun.run).flat());
        await job.#write(fresh);
      } else {
        job.#requireSame(ask);
        options.onResumed?.(job.startedAt);
      }
      return job;
    } catch (error) {
      await lease[Symbol.asyncDispose]();
      throw error;
    }
  }

  get startedAt(): Date {
    return new Date(this.#state.startedAt);
  }

  get run(): string {
    return this.#state.run;
  }

  /** Works until every item is finished; `onFinished` gets the ending of each. */
  async finish(waves: Items<Item>, onFinished: (item: Item, ending: FinishedState) => void): Promise<void> {
    const items = waves.reduce((sum, wave) => sum + wave.length, 0);
    let finished = 0;
    await underEither(this.#lease.signal, this.#options.abortSignal, async (abortSignal) => {
      for (const [index, wave] of waves.entries()) {
        if (this.#state.wavesPut <= index) {
          await this.#queue.put(wave, { abortSignal });
          await this.#write({ ...this.#state, wavesPut: index + 1 });
        }
        // From the end: workers are given items from the beginning.
        let left: readonly Item[] = wave.toReversed();
        while (left.length > 0) {
          const before = left.length;
          left = await this.#tryEach(left, abortSignal, (item, ending) => {
            onFinished(item, ending);
            this.#options.onItems?.({ finished: ++finished, items });
          });
          if (left.length === before) await pause(pollMs, this.#queue.scheduler, abortSignal);
        }
      }
    });
  }

  /** The result, with what removes the job from the queue. */
  shared<Result>(result: Result, waves: Items<Item>): SharedJob<Result> {
    return {
      result,
      remove: async () => {
        await this.#write({ ...this.#state, isHandedOver: true });
        await this.#removeItems(waves.flat());
        await this.#lease.write(undefined);
      },
      [Symbol.asyncDispose]: () => this.close(),
    };
  }

  /** Lets another process ask for the job. */
  async close(): Promise<void> {
    await this.#lease[Symbol.asyncDispose]();
  }

  /** Works on each item that nobody else works on; resolves with those that are not finished. */
  async #tryEach(
    items: readonly Item[],
    abortSignal: AbortSignal,
    onFinished: (item: Item, ending: FinishedState) => void,
  ): Promise<readonly Item[]> {
    const { maxConcurrentItems = 1 } = this.#options;
    const tools = { ...this.#options, scheduler: this.#queue.scheduler, abortSignal };
    const left: Item[] = [];
    const next = items.values();
    const workOnNext = async () => {
      for (const item of next) {
        if (abortSignal.aborted) throw new WaybillError("aborted", "The job was aborted.");
        await using lease = await this.#queue.lock<ItemState>(sessionIdOf(item), { abortSignal });
        const ending = lease && (await workOnItem(lease, item, tools));
        if (ending === undefined) left.push(item);
        else onFinished(item, ending);
      }
    };
    await Promise.all(Array.from({ length: maxConcurrentItems }, workOnNext));
    return left;
  }

  async #removeItems(items: readonly Item[]): Promise<void> {
    const { abortSignal } = this.#options;
    for (const item of items) {
      await using lease = await lockWithin<ItemState>(this.#queue, sessionIdOf(item), abortSignal);
      // In this order: an item whose state is removed first would be worked on again.
      await removeMessages(lease.session);
      await lease.write(undefined);
    }
  }

  #requireSame(ask: string): void {
    if (this.#state.ask === ask) return;
    throw new WaybillError(
      "configuration-invalid",
      `The queue holds an interrupted job "${this.#name}", begun at ${this.#state.startedAt}, that was asked for with other options or for another chain. ` +
        'Ask with the same, or under another name; or, to give it up, set interrupted: "replace".',
      { entityPath: this.#options.workQueue },
    );
  }

  async #write(state: JobState): Promise<void> {
    this.#state = state;
    await this.#lease.write(state);
  }
}

function newState({ scheduler }: WorkQueue, ask: string): JobState {
  const startedAt = new Date(scheduler.now()).toISOString();
  return { startedAt, run: randomBytes(6).toString("hex"), ask, wavesPut: 0, isHandedOver: false };
}

/** The lock of a process that was killed expires; that of one that is running does not. */
async function lockJob(
  queue: WorkQueue,
  name: string,
  { abortSignal, workQueue }: SharedJobOptions,
): Promise<Lease<JobState>> {
  try {
    return await lockWithin<JobState>(queue, name, abortSignal);
  } catch (error) {
    if (!(error instanceof WaybillError) || error.code !== "session-cannot-be-locked") throw error;
    throw new WaybillError(error.code, `Another process is asking for the job "${name}".`, {
      entityPath: workQueue,
      cause: error,
    });
  }
}

async function lockWithin<State extends ItemState | JobState>(
  queue: WorkQueue,
  sessionId: string,
  abortSignal: AbortSignal | undefined,
): Promise<Lease<State>> {
  const untilMs = steadyNowOf(queue.scheduler) + longestLockMs;
  for (;;) {
    const lease = await queue.lock<State>(sessionId, { abortSignal } satisfies CallOptions);
    if (lease !== undefined) return lease;
    if (steadyNowOf(queue.scheduler) >= untilMs)
      throw new WaybillError("session-cannot-be-locked", `Somebody else holds session "${sessionId}".`);
    await pause(pollMs, queue.scheduler, abortSignal);
  }
}
