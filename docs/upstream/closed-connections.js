import { setTimeout as sleep } from "node:timers/promises";
import { ServiceBusClient } from "@azure/service-bus";
import { conclude, openService } from "./service.js";

process.on("uncaughtException", ({ stack }) => conclude(true, stack.split("\n").slice(0, 2).join("")));
const service = await openService();
const retryOptions = { maxRetries: 0, timeoutInMs: 1_000 };
const client = new ServiceBusClient(service.connectionString, { retryOptions });
const sender = client.createSender("orders");
await sender.sendMessages({ body: 1 });
// This send waits for its answer while the service closes the connection. The socket ends some time later, as behind a load balancer.
service.answers = false;
sender.sendMessages({ body: 2 }).catch(() => {});
await sleep(100);
const [{ socket }] = service.connections;
const end = socket.end.bind(socket);
socket.end = () => setTimeout(end, 400);
service.connections[0].close({ condition: "amqp:connection:forced", description: "restarting" });
const until = Date.now() + 4_000;
while (Date.now() < until) {
  // Every call that needs a link opens the connection again.
  sender.sendMessages({ body: 3 }).catch(() => {});
  await sleep(20);
}
conclude(false, "the send failed, and the process lives");
