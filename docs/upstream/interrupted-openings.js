import { setTimeout as sleep } from "node:timers/promises";
import { ServiceBusClient } from "@azure/service-bus";
import { conclude, openService } from "./service.js";

const service = await openService();
const client = new ServiceBusClient(service.connectionString, { retryOptions: { maxRetries: 0 } });
// Two calls need the connection. One is given up before it is open.
const caller = new AbortController();
client
  .createReceiver("orders")
  .peekMessages(1, { abortSignal: caller.signal })
  .catch(() => {});
let isSent = false;
client
  .createSender("orders")
  .sendMessages({ body: 1 })
  .then(() => (isSent = true));
await sleep(0);
caller.abort();
await sleep(3_000);
conclude(
  !isSent,
  `three seconds after the other call was given up, the send ${isSent ? "is done" : "waits for a minute"}`,
);
