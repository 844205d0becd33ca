import { WaybillError } from "@waybill/core";
import { onAbort, type ReceiveMode } from "@waybill/core/transport";
import { abortedError, toAzureError } from "../sdk/azure-error.js";
import type { ServiceBusSessionReceiverLike } from "../sdk/service-bus-client.js";
import { longestWaitMs } from "./receive-messages.js";

/** How long to wait for the next session, and what ends the wait before. */
export interface NextSessionOptions {
  readonly entityPath: string;
  readonly receiveMode: ReceiveMode;
  /** Asks the SDK for the next session. */
  readonly ask: () => Promise<ServiceBusSessionReceiverLike>;
  readonly maxWaitTimeInMs: number;
  readonly signal: AbortSignal;
}

/** A request to the SDK that is in progress, and who waits for it. */
interface Wait {
  readonly entityPath: string;
  readonly receiveMode: ReceiveMode;
  isFreeing: boolean;
  holder: Holder | undefined;
}

interface Holder {
  resolve(session: ServiceBusSessionReceiverLike): void;
  reject(error: unknown): void;
}

/**
 * The waits for a next session. The SDK waits as long as its client's time-out says, cannot be stopped, and does not take its request
 * back: a session that comes too late stays locked with nobody to receive it. Here a wait that was given up goes to the next who
 * waits on the same entity, and a session that comes when nobody does is freed at once.
 */
export class NextSessionWaits {
  readonly #waits = new Set<Wait>();

  /** Resolves with a session; rejects with `timeout` when the time is up. */
  async accept(options: NextSessionOptions): Promise<ServiceBusSessionReceiverLike> {
    const { entityPath, maxWaitTimeInMs, signal } = options;
    const untilMs = performance.now() + maxWaitTimeInMs;
    for (;;) {
      const wait = this.#findIdle(options) ?? this.#start(options);
      try {
        return await hold(wait, untilMs - performance.now(), signal);
      } catch (error) {
        const mapped = toAzureError(error, entityPath);
        // With time left, it was only the SDK that gave up.
        if (mapped.code !== "timeout" || performance.now() >= untilMs) throw mapped;
      }
    }
  }

  /** Whether a session of the entity may be on its way to nobody, or is just being freed. */
  hasAbandoned(entityPath: string): boolean {
    for (const wait of this.#waits) {
      if (wait.entityPath === entityPath && wait.holder === undefined) return true;
    }
    return false;
  }

  #findIdle({ entityPath, receiveMode }: NextSessionOptions): Wait | undefined {
    for (const wait of this.#waits) {
      const isWanted = wait.entityPath === entityPath && wait.receiveMode === receiveMode;
      if (isWanted && wait.holder === undefined && !wait.isFreeing) return wait;
    }
    return undefined;
  }

  #start({ entityPath, receiveMode, ask }: NextSessionOptions): Wait {
    const wait: Wait = { entityPath, receiveMode, isFreeing: false, holder: undefined };
    this.#waits.add(wait);
    ask().then(
      async (session) => {
        if (wait.holder === undefined) {
          wait.isFreeing = true;
          await session.close().catch(() => {});
        }
        this.#waits.delete(wait);
        wait.holder?.resolve(session);
      },
      (error: unknown) => {
        this.#waits.delete(wait);
        wait.holder?.reject(error);
      },
    );
    return wait;
  }
}

function hold(
  wait: Wait,
  maxWaitTimeInMs: number,
  signal: AbortSignal,
): Promise<ServiceBusSessionReceiverLike> {
  const { entityPath } = wait;
  if (signal.aborted) return Promise.reject(abortedError(entityPath));
  return new Promise((resolve, reject) => {
    const letGo = () => {
      clearTimeout(timer);
      stopListening();
      wait.holder = undefined;
    };
    const giveUp = (error: WaybillError) => {
      letGo();
      reject(error);
    };
    const timer = setTimeout(
      () => giveUp(new WaybillError("timeout", "No session came in time.", { entityPath })),
      // Whoever waits longer asks again.
      Math.min(maxWaitTimeInMs, longestWaitMs),
    );
    wait.holder = {
      resolve: (session) => {
        letGo();
        resolve(session);
      },
      reject: (error) => {
        letGo();
        reject(error);
      },
    };
    const stopListening = onAbort(signal, () => giveUp(abortedError(entityPath)));
  });
}
