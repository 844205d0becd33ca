import { createBroker } from "@waybill/broker";
import { WaybillClient } from "@waybill/core";
import { json } from "@waybill/serializer-json";
import { localTransport } from "@waybill/transport-local";
import { order } from "./payloads.js";

// Prints what 100,000 queued messages of 1 KB cost in resident memory above the idle process, over the bytes of their bodies.

const count = 100_000;
const body = order(1_000);
const bytes = Buffer.byteLength(JSON.stringify(body));

const broker = createBroker();
await broker.createQueue("orders", { maxSizeInMegabytes: 5120 });
const sender = new WaybillClient(localTransport(broker), { serializer: json() }).createSender("orders");
const messages = Array.from({ length: 100 }, () => ({ body }));
await sender.sendMessages(messages);
const idle = residentBytes();
for (let sent = 0; sent < count; sent += messages.length) await sender.sendMessages(messages);
console.log((residentBytes() - idle) / (count * bytes));

function residentBytes(): number {
  globalThis.gc?.();
  return process.memoryUsage.rss();
}
