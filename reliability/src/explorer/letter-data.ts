import type { Broker } from "@waybill/broker";
import type { Transport } from "@waybill/core";

/** How many dead letters there are, each with a reason of its own text. */
export const reasonCount = 1_500;

/** A queue whose dead letters have the same reason in as many texts, and a few with another one. */
export async function fillReasons(broker: Broker, transport: Transport): Promise<void> {
  await broker.createQueue("reasons");
  const sender = transport.createSender("reasons");
  const receiver = transport.createReceiver({ queue: "reasons" }, "peekLock");
  const bytes = new TextEncoder().encode('{"id":1}');
  const message = (id: number) => ({
    messageId: `reason-${id}`,
    body: bytes,
    contentType: "application/json",
  });
  await sender.send(Array.from({ length: reasonCount + 3 }, (_, id) => message(id)));
  for (let id = 0; id < reasonCount + 3; ) {
    for (const { settlement } of await receiver.receive({ maxMessages: 500, maxWaitTimeInMs: 0 })) {
      const deadLetterReason =
        id < reasonCount ? `Order ${id} of customer "c-${id}" was late` : "CustomerUnknown";
      if (settlement !== undefined) await receiver.deadLetter(settlement, { deadLetterReason });
      id++;
    }
  }
  await receiver.close();
  await sender.close();
}
