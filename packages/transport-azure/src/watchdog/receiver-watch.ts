import type { LinkStall, ReceiverEvents } from "@waybill/core/transport";
import { toLong } from "../messages/to-long.js";
import type { ServiceBusReceiverLike } from "../sdk/service-bus-client.js";
import { findBacklog } from "./find-backlog.js";
import type { LinkWatchdog } from "./link-watchdog.js";
import type { WatchedLink } from "./watched-link.js";

/** Dependencies of a receiver's watch. */
export interface ReceiverWatchSettings {
  readonly entityPath: string;
  readonly sessionId: string | undefined;
  /** Undefined when it is switched off. */
  readonly watchdog: LinkWatchdog | undefined;
  readonly events: ReceiverEvents | undefined;
  /** Peeks for the receiver. */
  readonly peeker: () => ServiceBusReceiverLike;
  /** The sequence numbers of the entity's messages that this transport holds. */
  readonly held: () => ReadonlySet<bigint>;
}

/** Shared by the links of one receiver: their watchdog, the search for a backlog, and the reporting of stalls. */
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

  /** How many of its links were found stalled. */
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

  /** The first waiting message, from a sequence number on, that should have been delivered; undefined if there is none. */
  async findBacklog(fromSequenceNumber: bigint, abortSignal: AbortSignal): Promise<bigint | undefined> {
    const { sessionId, peeker, held } = this.#settings;
    const heldNow = held();
    // Restarting the link would end the session while its messages are handled, and waiting messages may wait for these.
    if (sessionId !== undefined && heldNow.size > 0) return undefined;
    return findBacklog(
      (from, maxMessages) =>
        peeker().peekMessages(maxMessages, { fromSequenceNumber: toLong(from), abortSignal }),
      heldNow,
      fromSequenceNumber,
    );
  }
}
