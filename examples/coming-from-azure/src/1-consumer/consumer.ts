// #region imports
import { ServiceBusClient } from "@azure/service-bus";
import { WaybillClient } from "@waybill/core";
import { json } from "@waybill/serializer-json";
import { azureTransport } from "@waybill/transport-azure";
// #endregion
import { connectionString, handleOrder, type OrderV1, stopRequested } from "../shop.js";

// #region client
const serviceBusClient = new ServiceBusClient(connectionString);
const client = new WaybillClient(azureTransport(serviceBusClient), { serializer: json() });
const receiver = client.createReceiver("orders");
// #endregion
const subscription = receiver.subscribe({
  async processMessage(message) {
    const { id, total } = message.body as OrderV1;
    handleOrder(id, Math.round(Number(total) * 100), `waybill, ${message.deserialization.serializer}`);
  },
  async processError({ error }) {
    console.error(error);
  },
});

await stopRequested();
await subscription.close();
// #region close
await client.close();
await serviceBusClient.close();
// #endregion
