import { ServiceBusClient } from "@azure/service-bus";
import { WaybillClient } from "@waybill/core";
import { json } from "@waybill/serializer-json";
import { azureTransport } from "@waybill/transport-azure";

const serviceBusClient = new ServiceBusClient(process.env.SERVICEBUS_CONNECTION_STRING ?? "");
const client = new WaybillClient(azureTransport(serviceBusClient), { serializer: json() });

for (const message of await client.createReceiver("orders").peekMessages(10)) {
  console.log(message.messageId, message.body, "read by", message.deserialization.serializer);
}
const { messageCount, undeserializableCount, answer, missing, advice } = await client.rehearse("orders");
console.log(`${messageCount} messages were read, unreadable ${undeserializableCount}: ${answer}`);
console.log(missing ?? advice ?? "");

await client.close();
await serviceBusClient.close();
