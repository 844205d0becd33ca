import type { LinkStall } from "@waybill/core/diagnostics";
import type { TransportReceiverEvents } from "@waybill/core/transport";
import { fromLong } from "../messages/from-service-bus-message.js";
import { toLong } from "../messages/to-long.js";
import type { ReceivedServiceBusMessage, ServiceBusReceiverLike } from "../sdk/service-bus-client.js";
import type { LinkWatchdog } from "./link-watchdog.js";
import type { WatchedLink } from "./watched-link.js";

/** A peek transfers whole bodies, so pages are small; more pages are read only past messages that no receiver can get now. */
const messagesPerPage = 8;
const maxPages = 4;

/** Dependencies of a receiver's watch. */
export interface ReceiverWatchSettings {
  readonly entityPath: string;
  readonly sessionId: string | undefined;
  /** Undefined when it is switched off. */
  readonly watchdog: LinkWatchdog | undefined;
  readonly events: TransportReceiverEvents | undefined;
  /** Peeks for the receiver. */
  readonly peeker: () => ServiceBusReceiverLike;
  /** The sequence numbers of the entity's messages that this transport has locked. */
  readonly locked: () => ReadonlySet<bigint>;
}

/** Shared by the links of one receiver: their watchdog, the search for a backlog, and the reporting of stalls. */
export class ReceiverWatch {
  /** How many of its links were found stalled. */
  stalls = 0;
  readonly #settings: ReceiverWatchSettings;

  constructor(settings: ReceiverWatchSettings) {
    this.#settings = settings;
  }

  get entityPath(): string {
    return this.#settings.entityPath;
  }

  get sessionId(): string | undefined {
    return this.#settings.sessionId;
  }

  add(link: WatchedLink): void {
    this.#settings.watchdog?.add(link);
  }

  remove(link: WatchedLink): void {
    this.#settings.watchdog?.remove(link);
  }

  onStalled(stall: LinkStall): void {
    this.stalls++;
    this.#settings.events?.onLinkStalled?.(stall);
  }

  /**
   * The first message, from a sequence number on, that a receiver with credit should get: not deferred, not scheduled for later, not expired, and
   * not locked by this transport. Peeking does not show whether another client has locked it.
   */
  async findBacklog(fromSequenceNumber: bigint, abortSignal: AbortSignal): Promise<bigint | undefined> {
    const { sessionId, peeker, locked } = this.#settings;
    const lockedNow = locked();
    // Restarting the link would end the session while its messages are handled, and waiting messages may wait for these.
    if (sessionId !== undefined && lockedNow.size > 0) return undefined;
    let next = fromSequenceNumber;
    for (let page = 0; page < maxPages; page++) {
      const from = { fromSequenceNumber: toLong(next), abortSignal };
      const messages = await peeker().peekMessages(messagesPerPage, from);
      for (const message of messages) {
        const sequenceNumber = message.sequenceNumber && fromLong(message.sequenceNumber);
        if (sequenceNumber === undefined) continue;
        if (isReady(message) && !lockedNow.has(sequenceNumber)) return sequenceNumber;
        next = sequenceNumber + 1n;
      }
      if (messages.length === 0) break;
    }
    return undefined;
  }
}

function isReady({ state, ...message }: ReceivedServiceBusMessage): boolean {
  const nowMs = Date.now();
  const { scheduledEnqueueTimeUtc, enqueuedTimeUtc, timeToLive } = message;
  // An activated message still reports that it was scheduled.
  if (state === "deferred" || (state === "scheduled" && !(Number(scheduledEnqueueTimeUtc) <= nowMs)))
    return false;
  return (
    timeToLive === undefined ||
    enqueuedTimeUtc === undefined ||
    enqueuedTimeUtc.getTime() + timeToLive > nowMs
  );
}
