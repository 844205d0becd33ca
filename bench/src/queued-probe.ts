import { randomBytes } from "node:crypto";
import { createBroker } from "@waybill/broker";
import rhea from "rhea";

// Prints what a queued message of 1 KB costs in resident memory, over its bytes on the wire: what the second 100,000 add to the first, so
// that what the process itself takes does not count.

const count = 100_000;
const body = randomBytes(1024);
const broker = createBroker();
await broker.createQueue("orders", { maxSizeInMegabytes: 5120 });
const sender = broker.sender("orders");

for (let sent = 0; sent < count; sent++) await send(sent);
const before = residentBytes();
for (let sent = 0; sent < count; sent++) await send(count + sent);
console.log((residentBytes() - before) / (count * encode(idOf(0)).byteLength));

/** Sends a message as the server does: in its own encoding, which the broker keeps unchanged. */
async function send(number: number): Promise<void> {
  const messageId = idOf(number);
  const wire = encode(messageId);
  const bytes = wire.subarray(wire.byteLength - body.byteLength);
  await sender.send({ messageId, wire, body: { section: "data", bytes } });
}

function encode(messageId: string): Uint8Array {
  return rhea.message.encode({ message_id: messageId, body: rhea.message.data_section(body) });
}

function idOf(number: number): string {
  return `message-${String(number).padStart(12, "0")}`;
}

function residentBytes(): number {
  globalThis.gc?.();
  return process.memoryUsage.rss();
}
