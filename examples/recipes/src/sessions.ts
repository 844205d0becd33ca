import { createBroker } from "@waybill/broker";
import { WaybillClient } from "@waybill/core";
import { json } from "@waybill/serializer-json";
import { localTransport } from "@waybill/transport-local";

const broker = createBroker();
await broker.createQueue("carts", { requiresSession: true });
const client = new WaybillClient(localTransport(broker), { serializer: json() });
await client.createSender("carts").sendMessages([
  { sessionId: "ada", body: { add: "lamp" } },
  { sessionId: "ada", body: { add: "bulb" } },
]);

const session = await client.acceptNextSession("carts");
const cart: unknown[] = [];
for (const message of await session.receiveMessages<{ add: string }>(10)) {
  cart.push(message.body.add);
  await session.setSessionState(new TextEncoder().encode(JSON.stringify(cart)));
  await session.completeMessage(message);
}
console.log(session.sessionId, new TextDecoder().decode(await session.getSessionState()));
await client.close();
// ada ["lamp","bulb"]
