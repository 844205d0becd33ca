import type { Broker } from "@waybill/broker";
import type { Transport } from "@waybill/core";

/** The dead letters that are deleted, edited and purged. */
export const removableCount = 8;

/** Makes a queue with dead letters, one of them cut off, and with a deferred and a scheduled message. */
export async function fillRemovable(broker: Broker, transport: Transport, queue: string): Promise<void> {
  await broker.createQueue(queue);
  const sender = transport.createSender(queue);
  const receiver = transport.createReceiver({ queue }, "peekLock");
  const message = (id: number, text = `{"id":${id}}`) => ({
    messageId: `removable-${id}`,
    body: new TextEncoder().encode(text),
    contentType: "application/json",
    applicationProperties: { tenant: "7" },
  });
  const receive = () => receiver.receive({ maxMessages: removableCount, maxWaitTimeInMs: 0 });
  await sender.send(
    Array.from({ length: removableCount }, (_, id) => message(id, id === 1 ? '{"id":' : undefined)),
  );
  for (const { settlement = {} } of await receive())
    await receiver.deadLetter(settlement, { deadLetterReason: "Late" });
  await sender.send([message(100), message(101)]);
  for (const { settlement = {} } of await receive()) await receiver.defer(settlement);
  await sender.schedule([message(200)], new Date(Date.now() + 86_400_000));
  await sender.send([message(300)]);
  await receiver.close();
  await sender.close();
}
