import { createBroker } from "@waybill/broker";
import { WaybillClient } from "@waybill/core";
import { json } from "@waybill/serializer-json";
import { localTransport } from "@waybill/transport-local";

interface Cart {
  readonly items: readonly string[];
  /** A message can be delivered twice: setting the state and completing the message are two steps. */
  readonly lastSequenceNumber: number;
}

const broker = createBroker();
await broker.createQueue("carts", { requiresSession: true });
const client = new WaybillClient(localTransport(broker), { serializer: json() });
await client.createSender("carts").sendMessages([
  { sessionId: "ada", body: { add: "lamp" } },
  { sessionId: "ben", body: { add: "rope" } },
  { sessionId: "ada", body: { add: "bulb" } },
]);

let handled = 0;
const carts = client.subscribeSessions<{ add: string }>(
  "carts",
  {
    async processMessage({ body, sequenceNumber }, { session }) {
      const { items, lastSequenceNumber } = (await session.getSessionState<Cart>()) ?? {
        items: [],
        lastSequenceNumber: 0,
      };
      if (sequenceNumber > BigInt(lastSequenceNumber)) {
        const cart = { items: [...items, body.add], lastSequenceNumber: Number(sequenceNumber) };
        await session.setSessionState(cart, { stateType: "Cart" });
      }
      handled++;
    },
    processError: ({ error }) => console.error(error),
  },
  { maxConcurrentSessions: 2 },
);
while (handled < 3) await new Promise(setImmediate);
await carts.close();

for (const sessionId of ["ada", "ben"]) {
  const session = await client.acceptSession("carts", sessionId);
  console.log(sessionId, (await session.getSessionState<Cart>())?.items);
  await session.close();
}
await client.close();
// ada [ 'lamp', 'bulb' ]
// ben [ 'rope' ]
