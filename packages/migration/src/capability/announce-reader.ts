import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import type { Pipeline } from "@waybill/core";
import { type OptionNames, requireDuration, requireKnownOptions } from "@waybill/core/serializer";
import { type ReaderDirectory, type Scheduler, systemScheduler, type Timer } from "@waybill/core/transport";
import { writeRegularly } from "../write-regularly.js";
import type { BeaconStore } from "./beacon-store.js";
import { liveBeacons } from "./live-beacons.js";
import { OpenCircuits } from "./open-circuits.js";
import { readerCapability } from "./reader-capability.js";

/** Who announces itself, and how often. */
export interface AnnounceReaderOptions {
  /** The reader's name, as write plans list it, for example the service's. */
  readonly reader: string;
  /** The paths of the queues and subscriptions that it receives from: `orders`, `events/Subscriptions/billing`. */
  readonly entities: readonly string[];
  /** Unique among the reader's instances. Default: host name, process id and a random number. */
  readonly instance?: string | undefined;
  /** How long a beacon is valid after its last renewal, in milliseconds. Default: 600 000. It is renewed after each third of this time. */
  readonly lifetimeInMs?: number | undefined;
  /** Called when renewing failed; it is retried at the next interval. */
  readonly onError?: ((error: unknown) => void) | undefined;
  /** Clock and timers. Default: the system's. */
  readonly scheduler?: Scheduler | undefined;
}

/**
 * A beacon that is renewed until it is closed, and the other readers' beacons: pass it to the client as `readerDirectory`, and messages that only
 * another running reader can read are left to that reader. The beacon then also says which circuits of the client are open.
 */
export interface AnnouncedReader extends ReaderDirectory, AsyncDisposable {
  /** Withdraws the beacon. Close the client first: until then this instance may still read messages. Rejects as the store does. */
  close(): Promise<void>;
}

const optionNames: OptionNames<AnnounceReaderOptions> = {
  reader: true,
  entities: true,
  instance: true,
  lifetimeInMs: true,
  onError: true,
  scheduler: true,
};

const defaultLifetimeMs = 600_000;
/** How long after a circuit opened or closed it is announced. */
const changeDelayMs = 1_000;

/**
 * Announces what this instance can read, at once and then at intervals. Resolves when the first beacon is in the store; rejects as the store
 * does. Announce before receiving the first message, so that no plan is raised beyond what a starting instance can read. An instance that is
 * killed counts until its beacon expires. Throws `TypeError` for an invalid option.
 */
export async function announceReader(
  store: BeaconStore,
  pipeline: Pipeline,
  options: AnnounceReaderOptions,
): Promise<AnnouncedReader> {
  requireKnownOptions("announceReader", options, optionNames);
  const {
    reader,
    entities,
    lifetimeInMs = defaultLifetimeMs,
    onError,
    scheduler = systemScheduler,
  } = options;
  const { instance = `${hostname()}-${process.pid}-${randomBytes(4).toString("hex")}` } = options;
  requireDuration("lifetimeInMs", lifetimeInMs, 1);
  if (!Array.isArray(entities) || entities.length === 0)
    throw new TypeError("announceReader: entities must list the queues and subscriptions it receives from.");
  const capability = readerCapability(pipeline);
  let circuits: OpenCircuits | undefined;
  const announce = (more: { readonly isWithdrawn?: true } = {}): Promise<void> => {
    const nowMs = scheduler.now();
    const expiresAt = new Date(nowMs + lifetimeInMs);
    const announcedAt = new Date(nowMs);
    const told = circuits && { circuits: circuits.list() };
    return store.announce({
      reader,
      instance,
      capability,
      entities,
      announcedAt,
      expiresAt,
      ...told,
      ...more,
    });
  };
  const endRenewals = await writeRegularly({
    write: announce,
    writeLast: () => announce({ isWithdrawn: true }),
    intervalMs: lifetimeInMs / 3,
    onError,
    scheduler,
  });
  let isClosed = false;
  let changing: Timer | undefined;
  let announcing: Promise<void> = Promise.resolve();
  /** Several circuits of a broken consumer open at once: one announcement tells all. */
  const announceSoon = (): void => {
    if (isClosed || changing !== undefined) return;
    changing = scheduler.schedule(changeDelayMs, () => {
      changing = undefined;
      announcing = announce().catch((error: unknown) => onError?.(error));
    });
    changing.unref();
  };
  const close = async (): Promise<void> => {
    isClosed = true;
    changing?.cancel();
    // The withdrawal must be the last beacon.
    await announcing;
    await endRenewals();
  };
  return {
    close,
    [Symbol.asyncDispose]: close,
    followCircuits() {
      const followed = circuits ?? new OpenCircuits();
      circuits = followed;
      announceSoon();
      return (change) => {
        if (followed.note(change, scheduler.now())) announceSoon();
      };
    },
    async readersOf(entityPath, call) {
      const path = entityPath.toLowerCase();
      const { present } = await liveBeacons(store, { nowMs: scheduler.now() }, call);
      return present
        .filter((beacon) => beacon.entities.some((each) => each.toLowerCase() === path))
        .map((beacon) => beacon.capability);
    },
  };
}
