import { toAzureError } from "../sdk/azure-error.js";
import { closeInTime } from "../sdk/close-in-time.js";
import type { ReceivedServiceBusMessage, ServiceBusReceiverLike } from "../sdk/service-bus-client.js";

/** How much to receive, how long to wait, and what ends the wait. */
export interface ReceiveMessagesOptions {
  readonly maxMessages: number;
  readonly maxWaitTimeInMs: number;
  readonly signal: AbortSignal;
}

/** The SDK waits a second for more messages after the first. These few milliseconds let through what is on its way. */
const moreMessagesWaitMs = 10;

/** The SDK refuses more in peek-lock mode, whose buffer holds 2048 deliveries. */
const mostMessages = 2047;

/** How long the credit of a wait that was given up may take to be called back. */
const drainTimeoutMs = 2_000;

/** The pause before a wait that the SDK ended early goes on. */
const earlyReturnPauseMs = 50;

/** The platform's timers, by which the SDK waits, hold 31 bits. */
export const longestWaitMs = 2 ** 31 - 1;

/**
 * Resolves with messages as soon as there are any, or with none when the time is up. The first message is waited for alone and what is
 * there with it is fetched then, because the SDK returns one message at once and more only after a second. A wait that the SDK ends
 * early, as it does when the link is lost, goes on. Rejects when the signal aborts, unless messages came at that moment.
 */
export async function receiveMessages(
  receiver: ServiceBusReceiverLike,
  { maxMessages, maxWaitTimeInMs, signal }: ReceiveMessagesOptions,
): Promise<ReceivedServiceBusMessage[]> {
  const untilMs = performance.now() + maxWaitTimeInMs;
  for (let isFirstTry = true; ; isFirstTry = false) {
    const leftMs = Math.min(Math.max(0, untilMs - performance.now()), longestWaitMs);
    const first = await receiveOne(receiver, leftMs, signal).catch((error: unknown) => {
      // The SDK opens a new link on the next call, not in this one.
      if (isFirstTry && isConnectionLost(error)) return [];
      throw error;
    });
    if (first.length > 0)
      return maxMessages > 1 ? [...first, ...(await receiveMore(receiver, maxMessages - 1))] : first;
    if (performance.now() + earlyReturnPauseMs >= untilMs) return [];
    await new Promise((resolve) => setTimeout(resolve, earlyReturnPauseMs));
  }
}

function isConnectionLost(error: unknown): boolean {
  return toAzureError(error, "").code === "connection-lost";
}

async function receiveOne(
  receiver: ServiceBusReceiverLike,
  maxWaitTimeInMs: number,
  abortSignal: AbortSignal,
): Promise<ReceivedServiceBusMessage[]> {
  try {
    return await receiver.receiveMessages(1, { maxWaitTimeInMs, abortSignal });
  } catch (error) {
    if (!abortSignal.aborted) throw error;
    const messages = await recallCredit(receiver);
    if (messages.length === 0) throw error;
    return messages;
  }
}

/** What comes now is held by a lock already, so an error must not keep the first message back. */
async function receiveMore(
  receiver: ServiceBusReceiverLike,
  count: number,
): Promise<ReceivedServiceBusMessage[]> {
  try {
    return await receiver.receiveMessages(Math.min(count, mostMessages), {
      maxWaitTimeInMs: moreMessagesWaitMs,
    });
  } catch {
    return [];
  }
}

/**
 * A wait that the SDK gave up leaves its credit with the broker: the next message would come to nobody, and stay away until its lock ran
 * out. Receiving it with no time to wait calls the credit back; resolves with the message that was quicker.
 */
async function recallCredit(receiver: ServiceBusReceiverLike): Promise<ReceivedServiceBusMessage[]> {
  try {
    const abortSignal = AbortSignal.timeout(drainTimeoutMs);
    return await receiver.receiveMessages(1, { maxWaitTimeInMs: 0, abortSignal });
  } catch {
    void closeInTime(receiver);
    return [];
  }
}
