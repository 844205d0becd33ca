import { createBroker } from "@waybill/broker";
import { parseDeadLetterRecord, WaybillClient } from "@waybill/core";
import { json } from "@waybill/serializer-json";
import { localTransport } from "@waybill/transport-local";

const broker = createBroker();
await broker.createQueue("orders");
const client = new WaybillClient(localTransport(broker), { serializer: json() });
const sender = client.createSender("orders");
await sender.sendMessages({ messageId: "a", body: { order: 1 } });
const body = new TextEncoder().encode('{"order":');
await sender.sendEncodedMessages({ messageId: "b", contentType: "application/json", body });

const subscription = client.createReceiver("orders").subscribe({
  processMessage: ({ messageId, body }) => console.log("handled", messageId, body),
  processError: ({ errorSource, rawMessage, disposition }) =>
    console.log(errorSource, rawMessage?.messageId, disposition),
});

const deadLetters = client.createReceiver("orders", { subQueueType: "deadLetter" });
const received = await deadLetters.receiveMessages(1);
await subscription.close();
for (const dead of received) {
  const record = parseDeadLetterRecord(dead);
  console.log(dead.deadLetterReason, dead.failure?.status, record?.bodyBytes);
  for (const { serializer, stage, reason } of record?.attempts ?? []) console.log(serializer, stage, reason);
  await deadLetters.completeMessage(dead);
}
await client.close();
// handled a { order: 1 }
// deserialize b deadLettered
// DeserializationFailed undeserializable 9
// json decode truncated
