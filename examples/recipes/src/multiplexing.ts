import { createBroker } from "@waybill/broker";
import { WaybillClient } from "@waybill/core";
import { json } from "@waybill/serializer-json";
import { localTransport } from "@waybill/transport-local";

const broker = createBroker();
await broker.createQueue("trips", { requiresSession: true });
const client = new WaybillClient(localTransport(broker), { serializer: json() });
const sender = client.createSender("trips");
for (const place of ["harbour", "bridge", "market"]) {
  await sender.sendMessages(["van-1", "van-2"].map((sessionId) => ({ sessionId, body: { place } })));
}

/** Follows one van from its first message to its last, whatever the others do. */
async function follow(sessionId: string): Promise<string> {
  await using trip = await client.acceptSession("trips", sessionId);
  const places: string[] = [];
  while (places.length < 3) {
    for (const message of await trip.receiveMessages<{ place: string }>(3)) {
      places.push(message.body.place);
      await trip.completeMessage(message);
    }
  }
  return `${sessionId}: ${places.join(", ")}`;
}

for (const line of await Promise.all(["van-1", "van-2"].map(follow))) console.log(line);
await client.close();
// van-1: harbour, bridge, market
// van-2: harbour, bridge, market
