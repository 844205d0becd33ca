import { setTimeout as sleep } from "node:timers/promises";
import { ServiceBusClient } from "@azure/service-bus";
import { conclude, openService } from "./service.js";

const service = await openService();
const retryOptions = { maxRetries: 0, timeoutInMs: 3_000 };
const client = new ServiceBusClient(service.connectionString, { retryOptions });
let isOver = false;
// A request that is never answered.
client
  .createReceiver("orders")
  .peekMessages(1)
  .catch(() => (isOver = true));
await sleep(1_000);
// Its connection breaks.
for (const { socket } of service.connections) socket.destroy();
await sleep(1_000);
conclude(
  !isOver,
  `a second after its connection broke, the request ${isOver ? "has failed" : "still waits"}`,
);
