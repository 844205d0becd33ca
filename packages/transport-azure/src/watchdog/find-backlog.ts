import { fromLong } from "../messages/from-service-bus-message.js";
import type { ReceivedServiceBusMessage } from "../sdk/service-bus-client.js";

/** Peeks at messages from a sequence number on. */
export type PeekFrom = (
  fromSequenceNumber: bigint,
  maxMessages: number,
) => Promise<ReceivedServiceBusMessage[]>;

/** A peek transfers whole bodies, so pages are small; more pages are read only past messages that no receiver can get now. */
const messagesPerPage = 8;
const maxPages = 4;

/**
 * The first message that a receiver with credit should get: not deferred, not scheduled for later, not expired, and not held. Peeking does
 * not show whether another client has locked it.
 */
export async function findBacklog(
  peek: PeekFrom,
  held: ReadonlySet<bigint>,
  fromSequenceNumber: bigint,
): Promise<bigint | undefined> {
  let next = fromSequenceNumber;
  for (let page = 0; page < maxPages; page += 1) {
    const messages = await peek(next, messagesPerPage);
    for (const message of messages) {
      const sequenceNumber = message.sequenceNumber && fromLong(message.sequenceNumber);
      if (sequenceNumber === undefined) continue;
      if (isReady(message) && !held.has(sequenceNumber)) return sequenceNumber;
      next = sequenceNumber + 1n;
    }
    if (messages.length === 0) break;
  }
  return undefined;
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
