// #region send
import { createBroker } from "@waybill/broker";
import { WaybillClient } from "@waybill/core";
import { json } from "@waybill/serializer-json";
import { msgpack } from "@waybill/serializer-msgpack";
import { localTransport } from "@waybill/transport-local";

const broker = createBroker();
await broker.createQueue("orders");
const transport = localTransport(broker);
const client = new WaybillClient(transport, { serializer: json() });

await client.createSender("orders").sendMessages({ body: { order: 1 } });
const receiver = client.createReceiver("orders");
for (const message of await receiver.receiveMessages(1)) {
  console.log(message.body, message.deserialization.serializer);
  await receiver.completeMessage(message);
}
// #endregion

// #region change
const newer = new WaybillClient(transport, {
  serializer: msgpack(),
  additionalDeserializers: [json()],
});
await client.createSender("orders").sendMessages({ body: { order: 2 } });
await newer.createSender("orders").sendMessages({ body: { order: 3 } });

const newReceiver = newer.createReceiver("orders");
for (const message of await newReceiver.receiveMessages(2)) {
  console.log(message.body, message.deserialization.serializer);
  await newReceiver.completeMessage(message);
}
// #endregion

// #region unreadable
const body = new TextEncoder().encode("order 4, please");
await client.createSender("orders").sendEncodedMessages({ body });
await newReceiver.receiveMessages(1, { maxWaitTimeInMs: 100 });

const deadLetters = newer.createReceiver("orders", { subQueueType: "deadLetter" });
for (const { deadLetterReason, deserialization } of await deadLetters.peekMessages(10)) {
  const tried = deserialization.attempts.map(({ serializer }) => serializer);
  console.log(`dead-lettered: ${deadLetterReason}, tried ${tried.join(", ")}`);
}
// #endregion

// #region close
await client.close();
await newer.close();
await broker.close();
// #endregion
// { order: 1 } json
// { order: 2 } json
// { order: 3 } msgpack
// dead-lettered: NoDeserializer, tried msgpack, json
