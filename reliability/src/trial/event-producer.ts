import { ServiceBusClient } from "@azure/service-bus";
import { azureRetryOptions } from "@waybill/transport-azure";
import { pause } from "waybill-harness/waiting.js";
import { eventId, eventMessage } from "./event-bodies.js";

// A producer on the official SDK that sends every kind of body, until its input ends. Arguments: the first number, and messages per second.

const [first = 1, rate = 25] = process.argv.slice(2).map(Number);
const client = new ServiceBusClient(process.env.SERVICEBUS_CONNECTION_STRING ?? "", {
  retryOptions: azureRetryOptions,
});
const sender = client.createSender("events");
let isStopped = false;
process.stdin.on("end", () => {
  isStopped = true;
});
process.stdin.resume();

for (let number = first; !isStopped; number++) {
  const began = performance.now();
  const message = eventMessage(number);
  const id = eventId(number);
  console.log(JSON.stringify({ trying: id, number }));
  try {
    await sender.sendMessages(message);
    console.log(JSON.stringify({ sent: id, number }));
  } catch {
    // Whether it was sent is not known: the broker may have been killed.
  }
  await pause(1000 / rate - (performance.now() - began));
}
process.stdin.pause();
await client.close();
