import { ServiceBusClient } from "@azure/service-bus";
import { connectionString, handleOrder, type OrderV1, stopRequested } from "../shop.js";

const client = new ServiceBusClient(connectionString);
const receiver = client.createReceiver("orders");
const subscription = receiver.subscribe({
  async processMessage(message) {
    const { id, total } = message.body as OrderV1;
    handleOrder(id, Math.round(Number(total) * 100), "SDK");
  },
  async processError({ error }) {
    console.error(error);
  },
});

await stopRequested();
await subscription.close();
await client.close();
