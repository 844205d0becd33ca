import { WaybillError } from "@waybill/core";
import { requireDuration, requireInteger, requireKnownOptions } from "@waybill/core/serializer";
import { callHook, pause, steadyNowOf } from "@waybill/foundation";
import type { ItemState, WorkError } from "./item-state.js";
import type { Lease } from "./lease.js";
import { fromWorkMessage, pathOf } from "./work-item.js";
import { workOnItem } from "./work-on-item.js";
import type { WorkOptions } from "./work-options.js";
import { messagesOf, removeMessages, WorkQueue } from "./work-queue.js";

/** How long a worker stays, and whom it tells. */
export interface WorkerOptions extends WorkOptions {
  /** Ends the worker after so long without work, in milliseconds. Default: never. */
  readonly maxIdleTimeInMs?: number | undefined;
  /** Called after each item that this worker finished. */
  readonly onFinished?: ((item: FinishedItem) => void) | undefined;
  /** Called when the broker cannot be reached for a while; the worker tries again. */
  readonly onError?: ((error: WaybillError) => void) | undefined;
}

/** An item that a worker has finished. */
export interface FinishedItem {
  readonly job: string;
  readonly kind: "census" | "repair";
  /** The entity that was counted, or the dead-letter queue that was repaired: `orders`, `orders/$DeadLetterQueue`. */
  readonly path: string;
  /** Why it could not be done; undefined if it was. */
  readonly error: WorkError | undefined;
}

/** How long to wait for the next item before the worker looks at its idle time, in milliseconds. */
const waitMs = 10_000;

/** How long to wait before a broker that could not be reached is tried again, in milliseconds. */
const retryMs = 2_000;

/**
 * Works on the items of a work queue until it is aborted, or idle for long enough. Resolves with how many items it finished. Any number of workers
 * share the queue; each may be killed at any time, and another one goes on with its items when their locks have expired. Rejects if the first call
 * fails, with `configuration-invalid` for an item of another chain, and with every error that is not the broker's.
 */
export async function runWorker(options: WorkerOptions): Promise<number> {
  const worker = new Worker(options);
  const { maxConcurrentItems = 1 } = options;
  await Promise.all(Array.from({ length: maxConcurrentItems }, () => worker.run()));
  return worker.finished;
}

class Worker {
  readonly #options: WorkerOptions;
  readonly #queue: WorkQueue;
  readonly #maxIdleMs: number;
  #isConnected = false;
  finished = 0;

  constructor(options: WorkerOptions) {
    requireKnownOptions("runWorker", options, {
      transport: true,
      pipeline: true,
      workQueue: true,
      originOf: true,
      maxConcurrentItems: true,
      maxIdleTimeInMs: true,
      onFinished: true,
      onError: true,
      abortSignal: true,
    });
    const { maxConcurrentItems = 1, maxIdleTimeInMs } = options;
    requireInteger("maxConcurrentItems", maxConcurrentItems, 1);
    if (maxIdleTimeInMs !== undefined) requireDuration("maxIdleTimeInMs", maxIdleTimeInMs, 0);
    this.#options = options;
    this.#queue = new WorkQueue(options.transport, options.workQueue);
    this.#maxIdleMs = maxIdleTimeInMs ?? Number.POSITIVE_INFINITY;
  }

  async run(): Promise<void> {
    const { abortSignal } = this.#options;
    const { scheduler } = this.#queue;
    let idleSince = steadyNowOf(scheduler);
    while (abortSignal?.aborted !== true) {
      const leftMs = this.#maxIdleMs - (steadyNowOf(scheduler) - idleSince);
      if (leftMs <= 0) return;
      try {
        if (await this.#workOnNext(Math.min(leftMs, waitMs))) idleSince = steadyNowOf(scheduler);
      } catch (error) {
        if (abortSignal?.aborted) return;
        if (!this.#isConnected || !(error instanceof WaybillError) || !mayPass(error)) throw error;
        callHook(() => this.#options.onError?.(error));
        await pause(retryMs, scheduler, abortSignal);
      }
    }
  }

  /** Resolves with false if there was no item in time. */
  async #workOnNext(maxWaitTimeInMs: number): Promise<boolean> {
    const { abortSignal } = this.#options;
    await using lease = await this.#queue.next(maxWaitTimeInMs, { abortSignal });
    this.#isConnected = true;
    if (lease !== undefined) await this.#workOn(lease);
    return lease !== undefined;
  }

  async #workOn(lease: Lease<ItemState>): Promise<void> {
    const { session } = lease;
    const [message] = await messagesOf(session);
    if (message === undefined) return;
    const item = fromWorkMessage(message);
    if (item === undefined) return await setAside(lease);
    const tools = { ...this.#options, scheduler: this.#queue.scheduler };
    const ending = await workOnItem(lease, item, tools);
    if (ending === undefined) return;
    this.finished++;
    await removeMessages(session);
    const { job, kind } = item;
    callHook(() => this.#options.onFinished?.({ job, kind, path: pathOf(item), error: ending.error }));
  }
}

/** Whether the broker refused for a while only: it could not be reached, or the lock is somebody else's now. */
function mayPass({ retryable, code }: WaybillError): boolean {
  return retryable || code === "session-lock-lost" || code === "message-lock-lost";
}

/** Dead-letters a message that is no work item, so that it is not offered again and again. */
async function setAside({ session }: Lease<ItemState>): Promise<void> {
  const [first] = await session.receive({ maxMessages: 1, maxWaitTimeInMs: 5_000 });
  if (first?.settlement === undefined) return;
  await session.deadLetter(first.settlement, {
    deadLetterReason: "NotAWorkItem",
    deadLetterErrorDescription: "This queue is for shared work: only waybill's work items can be in it.",
  });
}
