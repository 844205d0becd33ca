import { ServiceBusClient } from "@azure/service-bus";
import { createPipeline, sdkBodies, WaybillClient } from "@waybill/core";
import { announceReader, queueBeaconStore } from "@waybill/migration/plan";
import { azureRetryOptions, azureTransport } from "@waybill/transport-azure";
import { isEvent } from "./event-bodies.js";

// A consumer of every kind of body, until its input ends. Argument: "sdk", or "waybill", which reads as the SDK does and announces itself, as in
// step 0 of the guide.

const [kind] = process.argv.slice(2);
const serviceBusClient = new ServiceBusClient(process.env.SERVICEBUS_CONNECTION_STRING ?? "", {
  retryOptions: azureRetryOptions,
});
const report = (messageId: unknown, body: unknown) =>
  console.log(JSON.stringify({ id: messageId, isRight: isEvent(String(messageId), body) }));
const stop = await (kind === "sdk" ? bySdk() : byWaybill());
process.stdin.on("end", () => void stop().then(() => serviceBusClient.close()));
process.stdin.resume();

async function bySdk(): Promise<() => Promise<void>> {
  const receiver = serviceBusClient.createReceiver("events");
  receiver.subscribe({
    processMessage: async ({ messageId, body }) => report(messageId, body),
    processError: async () => {},
  });
  return () => receiver.close();
}

async function byWaybill(): Promise<() => Promise<void>> {
  const transport = azureTransport(serviceBusClient);
  const pipeline = createPipeline(sdkBodies());
  const beacons = queueBeaconStore(transport, "capabilities");
  const readers = await announceReader(beacons, pipeline, { reader: "archive", entities: ["events"] });
  const client = new WaybillClient(transport, { pipeline, readerDirectory: readers });
  client.createReceiver("events").subscribe({
    processMessage: ({ messageId, body }) => report(messageId, body),
    processError: () => {},
  });
  return async () => {
    await client.close();
    await readers.close();
  };
}
