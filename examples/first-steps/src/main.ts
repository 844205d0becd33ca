import { createBroker } from "@waybill/broker";
import { WaybillClient } from "@waybill/core";
import { json } from "@waybill/serializer-json";
import { msgpack } from "@waybill/serializer-msgpack";
import { localTransport } from "@waybill/transport-local";

const broker = createBroker();
await broker.createQueue("orders");
const transport = localTransport(broker);
const older = new WaybillClient(transport, { serializer: json() });
const newer = new WaybillClient(transport, { serializer: msgpack(), additionalDeserializers: [json()] });
await older.createSender("orders").sendMessages({ body: { order: 1, paid: true } });
await newer.createSender("orders").sendMessages({ body: { order: 2, paid: false } });

const receiver = newer.createReceiver("orders");
for (const message of await receiver.receiveMessages(2)) {
  console.log(message.body, "read by", message.deserialization.serializer);
  await receiver.completeMessage(message);
}
await newer.close();
// { order: 1, paid: true } read by json
// { order: 2, paid: false } read by msgpack
