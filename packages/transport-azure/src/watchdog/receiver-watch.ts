import type { LinkStall, ReceiverEvents } from "@waybill/core/transport";
import { toLong } from "../messages/to-long.js";
import type { ServiceBusReceiverLike } from "../sdk/service-bus-client.js";
import { findBacklog } from "./find-backlog.js";
import type { LinkWatchdog } from "./link-watchdog.js";
import type { WatchedLink } from "./watched-link.js";

/** What the watch over the links of one receiver works with. */
export interface ReceiverWatchSettings {
  readonly entityPath: string;
  readonly sessionId: string | undefined;
  /** Undefined when it is switched off. */
  readonly watchdog: LinkWatchdog | undefined;
  readonly events: ReceiverEvents | undefined;
  /** Peeks for the receiver. */
  readonly peeker: () => ServiceBusReceiverLike;
  /** The sequence numbers that this transport holds of the entity. */
  readonly held: () => ReadonlySet<bigint>;
}

/** What the links of one receiver share: by whom they are watched, how a backlog is seen, and to whom their stalls are reported. */
export class ReceiverWatch {
  readonly #settings: ReceiverWatchSettings;
  #stalls = 0;

  constructor(settings: ReceiverWatchSettings) {
    this.#settings = settings;
  }

  get entityPath(): string {
    return this.#settings.entityPath;
  }

  get sessionId(): string | undefined {
    return this.#settings.sessionId;
  }

  /** How many of its links were found standing still. */
  get stalls(): number {
    return this.#stalls;
  }

  add(link: WatchedLink): void {
    this.#settings.watchdog?.add(link);
  }

  remove(link: WatchedLink): void {
    this.#settings.watchdog?.remove(link);
  }

  onStalled(stall: LinkStall): void {
    this.#stalls += 1;
    this.#settings.events?.onLinkStalled?.(stall);
  }

  async findBacklog(fromSequenceNumber: bigint, abortSignal: AbortSignal): Promise<bigint | undefined> {
    const { sessionId, peeker, held } = this.#settings;
    const heldNow = held();
    // With its link a session loses the messages that are being handled; and the next may wait for these.
    if (sessionId !== undefined && heldNow.size > 0) return undefined;
    return findBacklog(
      (from, maxMessages) =>
        peeker().peekMessages(maxMessages, { fromSequenceNumber: toLong(from), abortSignal }),
      heldNow,
      fromSequenceNumber,
    );
  }
}
