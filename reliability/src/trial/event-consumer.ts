import { ServiceBusClient } from "@azure/service-bus";
import { sdkBodies, WaybillClient } from "@waybill/core";
import { azureRetryOptions, azureTransport } from "@waybill/transport-azure";
import { isEvent } from "./event-bodies.js";

// A consumer of every kind of body, until its input ends. Argument: "sdk", or "waybill", which reads as the SDK does.

const [kind] = process.argv.slice(2);
const serviceBusClient = new ServiceBusClient(process.env.SERVICEBUS_CONNECTION_STRING ?? "", {
  retryOptions: azureRetryOptions,
});
const report = (messageId: unknown, body: unknown) =>
  console.log(JSON.stringify({ id: messageId, isRight: isEvent(String(messageId), body) }));
const stop = kind === "sdk" ? bySdk() : byWaybill();
process.stdin.on("end", () => void stop().then(() => serviceBusClient.close()));
process.stdin.resume();

function bySdk(): () => Promise<void> {
  const receiver = serviceBusClient.createReceiver("events");
  receiver.subscribe({
    processMessage: async ({ messageId, body }) => report(messageId, body),
    processError: async () => {},
  });
  return () => receiver.close();
}

function byWaybill(): () => Promise<void> {
  const client = new WaybillClient(azureTransport(serviceBusClient), sdkBodies());
  client.createReceiver("events").subscribe({
    processMessage: ({ messageId, body }) => report(messageId, body),
    processError: () => {},
  });
  return () => client.close();
}
