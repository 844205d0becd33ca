import { createBroker } from "@waybill/broker";
import { parseDeadLetterRecord, WaybillClient } from "@waybill/core";
import { json } from "@waybill/serializer-json";
import { localTransport } from "@waybill/transport-local";

const broker = createBroker();
await broker.createQueue("readings");
await broker.createQueue("readings-quarantine");
const client = new WaybillClient(localTransport(broker), {
  serializer: json(),
  quarantineQueue: "readings-quarantine",
});
const sender = client.createSender("readings");
await sender.sendEncodedMessages({ messageId: "r1", body: Uint8Array.of(0xff, 0x00) });
await sender.sendMessages({ messageId: "r2", body: { celsius: 21 } });

const receiver = client.createReceiver("readings", { receiveMode: "receiveAndDelete" });
for (const message of await receiver.receiveMessages(10)) console.log(message.messageId, message.body);
for (const quarantined of await client.createReceiver("readings-quarantine").peekMessages(1))
  console.log(quarantined.messageId, quarantined.rawBody, parseDeadLetterRecord(quarantined)?.reason);
await client.close();
// r2 { celsius: 21 }
// r1 Uint8Array(2) [ 255, 0 ] DeserializationFailed
