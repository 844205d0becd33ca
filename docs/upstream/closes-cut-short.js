import { setTimeout as sleep } from "node:timers/promises";
import { ServiceBusClient } from "@azure/service-bus";
import { conclude, openService } from "./service.js";

const service = await openService();
const client = new ServiceBusClient(service.connectionString, { retryOptions: { maxRetries: 0 } });
const sender = client.createSender("orders");
await sender.sendMessages({ body: 1 });
let isClosed = false;
sender.close().then(() => (isClosed = true));
// The connection breaks before the answer to the detach frame comes.
for (const { socket } of service.connections) socket.destroy();
await sleep(2_000);
conclude(
  !isClosed,
  `two seconds after its connection broke, sender.close() ${isClosed ? "has resolved" : "is pending"}`,
);
