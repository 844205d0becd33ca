import { setTimeout as wait } from "node:timers/promises";
import type { BrokerLog } from "./broker-log.js";
import type { HostedNamespace } from "./hosted-namespace.js";

/** How often a disk that could not be written is tried again, in ms. */
const retryMs = 1_000;

/**
 * Serves a namespace until `signal` is aborted, and resolves with true then. When its disk cannot be written, it resolves with false if `exits`,
 * and else opens the namespace again as soon as there is room; `/health` says meanwhile that it is degraded.
 */
export async function keepServing(
  namespace: HostedNamespace,
  log: BrokerLog,
  { signal, exits }: { readonly signal: AbortSignal; readonly exits: boolean },
): Promise<boolean> {
  const interrupted = new Promise<undefined>((resolve) =>
    signal.addEventListener("abort", () => resolve(undefined)),
  );
  for (;;) {
    const failure = await Promise.race([namespace.open.broker.stopped, interrupted]);
    if (failure === undefined) return true;
    const next = exits
      ? "start again once it is mended."
      : "it continues by itself once the disk can be written.";
    log.error(
      "storage-failed",
      `Namespace ${namespace.name}: ${failure.message} What was acknowledged is kept: ${next}`,
      { namespace: namespace.name },
    );
    if (exits) return false;
    if (!(await recover(namespace, signal))) return true;
    log.event(
      "storage-recovered",
      `Namespace ${namespace.name} is served again, with everything that was acknowledged.`,
      { namespace: namespace.name },
    );
  }
}

/** Resolves with true when the namespace was opened again, or with false when `signal` was aborted. */
async function recover(namespace: HostedNamespace, signal: AbortSignal): Promise<boolean> {
  const { findDiskFailure } = await import("@waybill/broker-storage-lmdb");
  while (!signal.aborted) {
    await wait(retryMs, undefined, { signal }).catch(() => {});
    const { directory } = namespace;
    if (signal.aborted || (directory !== undefined && findDiskFailure(directory) !== undefined)) continue;
    try {
      await namespace.reopen();
      return true;
    } catch (error) {
      if ((error as { readonly code?: string }).code !== "storage-failed") throw error;
    }
  }
  return false;
}
