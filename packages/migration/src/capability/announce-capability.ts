import { type OptionNames, requireDuration, requireKnownOptions } from "@waybill/core/serializer";
import { type Scheduler, systemScheduler, type Timer } from "@waybill/core/transport";
import type { BeaconStore } from "./beacon-store.js";
import type { ReaderCapability } from "./reader-capability.js";

/** Who announces itself, and how often. */
export interface AnnounceOptions {
  /** The reader's name, as write plans list it. */
  readonly reader: string;
  /** Unique among the reader's instances, for example host name and process id. */
  readonly instance: string;
  /** How long a beacon is valid after its last renewal, in milliseconds. Default: 600 000. It is renewed after each third of this time. */
  readonly lifetimeInMs?: number | undefined;
  /** Called when renewing failed; it is retried at the next interval. */
  readonly onError?: ((error: unknown) => void) | undefined;
  /** Clock and timers. Default: the system's. */
  readonly scheduler?: Scheduler | undefined;
}

/** A beacon that is renewed until it is closed. */
export interface Announcement extends AsyncDisposable {
  /** Stops renewing. The beacon stays valid until it expires, since this instance may still read messages that it has received. */
  close(): Promise<void>;
}

const optionNames: OptionNames<AnnounceOptions> = {
  reader: true,
  instance: true,
  lifetimeInMs: true,
  onError: true,
  scheduler: true,
};

const defaultLifetimeMs = 600_000;

/**
 * Announces what this instance can read, at once and then at intervals. Resolves when the first beacon is in the store; rejects as the store
 * does. Announce before receiving the first message, so that no plan is raised beyond what a starting instance can read.
 */
export async function announceCapability(
  store: BeaconStore,
  capability: ReaderCapability,
  options: AnnounceOptions,
): Promise<Announcement> {
  requireKnownOptions("announceCapability", options, optionNames);
  const {
    reader,
    instance,
    lifetimeInMs = defaultLifetimeMs,
    onError,
    scheduler = systemScheduler,
  } = options;
  requireDuration("lifetimeInMs", lifetimeInMs, 1);
  let timer: Timer | undefined;
  let isClosed = false;
  let renewing: Promise<void> = Promise.resolve();
  const announce = (): Promise<void> => {
    const nowMs = scheduler.now();
    return store.announce({
      reader,
      instance,
      capability,
      announcedAt: new Date(nowMs),
      expiresAt: new Date(nowMs + lifetimeInMs),
    });
  };
  const renewLater = (): void => {
    if (isClosed) return;
    timer = scheduler.schedule(lifetimeInMs / 3, () => {
      renewing = announce()
        .catch((error: unknown) => onError?.(error))
        .then(renewLater);
    });
    timer.unref();
  };
  await announce();
  renewLater();
  const close = async (): Promise<void> => {
    isClosed = true;
    timer?.cancel();
    await renewing;
  };
  return { close, [Symbol.asyncDispose]: close };
}
