import type { ReceivedMessage, UndecodedMessage, WaybillClient } from "@waybill/core";

/** A message of the dead-letter queue, whose body is undeserializable. */
export type DeadLetter = ReceivedMessage | UndecodedMessage;

/** Receives what is in a dead-letter queue, and completes each message when the next is asked for. */
export async function* drainDeadLetters(client: WaybillClient, queue: string): AsyncGenerator<DeadLetter> {
  await using receiver = client.createReceiver(queue, { subQueueType: "deadLetter" });
  for (;;) {
    const letters = await receiver.receiveMessages(100, { maxWaitTimeInMs: 0 });
    if (letters.length === 0) return;
    for (const letter of letters) {
      yield letter;
      await receiver.completeMessage(letter);
    }
  }
}
