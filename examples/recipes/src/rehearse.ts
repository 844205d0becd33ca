import { createBroker } from "@waybill/broker";
import { WaybillClient } from "@waybill/core";
import { json } from "@waybill/serializer-json";
import { msgpack } from "@waybill/serializer-msgpack";
import { localTransport } from "@waybill/transport-local";

const broker = createBroker();
await broker.createQueue("orders");
const transport = localTransport(broker);
const client = new WaybillClient(transport, { serializer: json(), additionalDeserializers: [msgpack()] });
const sender = client.createSender("orders");
await sender.sendMessages([{ subject: "Order", body: { order: 1 } }]);
// As the official SDK sends a string: JSON without a content type.
const body = new TextEncoder().encode('"order 2"');
await sender.sendEncodedMessages([{ body }, { body }]);

const report = await client.rehearse("orders");
for (const { contentType, reader, outcome, reason, messageCount } of report.groups)
  console.log(messageCount, contentType, outcome, reader ?? reason);
console.log(report.advice);
await client.close();
// 2 undefined undeserializable NoDeserializer
// 1 application/json decoded json
// 2 of 3 messages have no content type and look like JSON: contentTypePolicies: { missing: { assume: "json" } } would read them.
