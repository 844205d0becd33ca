import { createBroker } from "@waybill/broker";
import { WaybillClient } from "@waybill/core";
import { json } from "@waybill/serializer-json";
import { localTransport } from "@waybill/transport-local";

const broker = createBroker();
await broker.createQueue("orders");
const client = new WaybillClient(localTransport(broker), { serializer: json() });
await client.createSender("orders").sendMessages({ body: { order: 1 } });
// #region stop
const subscription = client.createReceiver("orders").subscribe(
  {
    async processMessage({ body }) {
      console.log("handled", body);
      process.kill(process.pid, "SIGTERM"); // an orchestrator does this
    },
    async processError({ error }) {
      console.error(error);
    },
  },
  { closeTimeoutInMs: 25_000 },
);
process.once("SIGTERM", async () => {
  await subscription.close(); // handlers finish, the rest is abandoned
  await client.close();
  console.log("stopped");
});
// #endregion
// handled { order: 1 }
// stopped
