import { WaybillError } from "@waybill/core";
import type { ReceiveMode } from "@waybill/core/transport";
import { onAbort } from "@waybill/foundation";
import { abortedError, toAzureError } from "../sdk/azure-error.js";
import type { ServiceBusSessionReceiverLike } from "../sdk/service-bus-client.js";
import { maxTimerMs } from "./receive-messages.js";

/** How long to wait for the next session, and what ends the wait earlier. */
export interface NextSessionOptions {
  readonly entityPath: string;
  readonly receiveMode: ReceiveMode;
  /** Requests the next session from the SDK. */
  readonly ask: () => Promise<ServiceBusSessionReceiverLike>;
  readonly maxWaitTimeInMs: number;
  readonly signal: AbortSignal;
}

/** A pending request to the SDK, and the caller waiting for it. */
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
 * Pending waits for a next session. The SDK waits until its client's timeout, cannot be stopped, and does not withdraw its request: a
 * session that arrives too late would stay locked without a receiver. Here the next caller on the same entity takes over an abandoned wait,
 * and a session that arrives without a caller is released at once.
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
        // If time is left, only the SDK's own timeout has passed.
        if (mapped.code !== "timeout" || performance.now() >= untilMs) throw mapped;
      }
    }
  }

  /** Whether a pending request has no caller any more and may still lock a session of the entity, or is just releasing one. */
  hasAbandoned(entityPath: string): boolean {
    return [...this.#waits].some((wait) => wait.entityPath === entityPath && wait.holder === undefined);
  }

  /** Releases the session of a request for a named one whose caller has gone, when it is locked; until then it counts as abandoned. */
  free(
    { entityPath, receiveMode }: Pick<NextSessionOptions, "entityPath" | "receiveMode">,
    asking: Promise<ServiceBusSessionReceiverLike>,
  ): void {
    const wait: Wait = { entityPath, receiveMode, isFreeing: true, holder: undefined };
    this.#waits.add(wait);
    asking
      .then((session) => session.close())
      .catch(() => {})
      .finally(() => this.#waits.delete(wait));
  }

  #findIdle({ entityPath, receiveMode }: NextSessionOptions): Wait | undefined {
    return [...this.#waits]
      .filter((wait) => wait.entityPath === entityPath && wait.receiveMode === receiveMode)
      .find((wait) => wait.holder === undefined && !wait.isFreeing);
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
    const ended =
      <Value>(end: (value: Value) => void) =>
      (value: Value) => {
        clearTimeout(timer);
        stopListening();
        wait.holder = undefined;
        end(value);
      };
    const fail = ended<unknown>(reject);
    const timer = setTimeout(
      () => fail(new WaybillError("timeout", "No session came in time.", { entityPath })),
      // A longer wait asks again.
      Math.min(maxWaitTimeInMs, maxTimerMs),
    );
    wait.holder = { resolve: ended(resolve), reject: fail };
    const stopListening = onAbort(signal, () => fail(abortedError(entityPath)));
  });
}
