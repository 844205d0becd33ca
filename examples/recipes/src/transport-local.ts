import { createBroker, createManualClock } from "@waybill/broker";
import { WaybillClient } from "@waybill/core";
import { json } from "@waybill/serializer-json";
import { localTransport } from "@waybill/transport-local";

const clock = createManualClock();
const broker = createBroker({ clock });
await broker.createQueue("reminders");
const client = new WaybillClient(localTransport(broker), { serializer: json() });

const at = new Date(clock.now() + 3_600_000);
await client.createSender("reminders").scheduleMessages({ body: { remind: "me" } }, at);
const receiver = client.createReceiver("reminders");
clock.advance(3_600_000);
for (const message of await receiver.receiveMessages(1)) {
  console.log(message.body, message.enqueuedTimeUtc);
  await receiver.completeMessage(message);
}
await client.close();
// { remind: 'me' } 2024-01-01T01:00:00.000Z
