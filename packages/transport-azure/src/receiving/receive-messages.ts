import type { TransportReceiveOptions } from "@waybill/core/transport";
import { toAzureError } from "../sdk/azure-error.js";
import { closeInTime } from "../sdk/close-in-time.js";
import { waitForDrains } from "../sdk/patient-drains.js";
import type { ReceivedServiceBusMessage, ServiceBusReceiverLike } from "../sdk/service-bus-client.js";

/** The SDK waits a second for more messages after the first. These few milliseconds suffice for messages in transit. */
const moreMessagesWaitMs = 10;

/** The SDK's limit in peek-lock mode: its buffer holds 2048 deliveries. */
const maxMessagesPerCall = 2047;

/** How long withdrawing the credit of an aborted wait may take, in milliseconds. */
const drainTimeoutMs = 2_000;

/** The pause before repeating a wait that the SDK ended early, in milliseconds. */
const earlyReturnPauseMs = 50;

/** `setTimeout`, which the SDK waits with, accepts at most 2^31-1 ms. */
export const maxTimerMs = 2 ** 31 - 1;

/**
 * Resolves with messages as soon as there are any, or with none when the time is up. It waits for the first message alone and then fetches
 * those available with it, because the SDK returns one message at once but more only after a second. If the SDK ends a wait early, for
 * example because the link was lost, the wait continues. Rejects when the signal aborts, unless messages arrived at that moment.
 */
export async function receiveMessages(
  receiver: ServiceBusReceiverLike,
  {
    maxMessages,
    maxWaitTimeInMs,
    abortSignal,
  }: TransportReceiveOptions & { readonly abortSignal: AbortSignal },
): Promise<ReceivedServiceBusMessage[]> {
  const untilMs = performance.now() + maxWaitTimeInMs;
  // By then the first call has created what receives, and its link is not open yet.
  setImmediate(waitForDrains, receiver);
  for (let isFirstTry = true; ; isFirstTry = false) {
    const leftMs = Math.min(Math.max(0, untilMs - performance.now()), maxTimerMs);
    const first = await receiveOne(receiver, leftMs, abortSignal).catch((error: unknown) => {
      // The SDK opens a new link on the next call, not in this one.
      if (isFirstTry && toAzureError(error, "").code === "connection-lost") return [];
      throw error;
    });
    if (first.length > 0)
      return maxMessages > 1 ? [...first, ...(await receiveMore(receiver, maxMessages - 1))] : first;
    if (performance.now() + earlyReturnPauseMs >= untilMs) return [];
    await new Promise((resolve) => setTimeout(resolve, earlyReturnPauseMs));
  }
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

/** These messages are already locked, so an error here must not lose the first message. */
async function receiveMore(
  receiver: ServiceBusReceiverLike,
  count: number,
): Promise<ReceivedServiceBusMessage[]> {
  try {
    return await receiver.receiveMessages(Math.min(count, maxMessagesPerCall), {
      maxWaitTimeInMs: moreMessagesWaitMs,
    });
  } catch {
    return [];
  }
}

/**
 * When a wait is aborted, the SDK leaves its credit with the broker: the next message would be delivered to nobody and stay locked until
 * its lock expires. Receiving with no wait time withdraws the credit; resolves with a message that arrived before.
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
