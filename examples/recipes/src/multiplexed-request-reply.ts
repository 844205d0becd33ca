import { createBroker } from "@waybill/broker";
import { WaybillClient } from "@waybill/core";
import { json } from "@waybill/serializer-json";
import { localTransport } from "@waybill/transport-local";

const broker = createBroker();
await broker.createQueue("quotes");
await broker.createQueue("replies", { requiresSession: true });
const client = new WaybillClient(localTransport(broker), { serializer: json() });

client.createReceiver("quotes").subscribe<{ lamps: number }>({
  processMessage: (request) => client.reply(request, { total: request.body.lamps * 6 }),
  processError: ({ error }) => console.error(error),
});

const shops = ["shop-1", "shop-2"].map((replyToSessionId) =>
  client.createRequester("replies", { replyToSessionId }),
);
const replies = await Promise.all(
  shops.map((shop, index) => shop.request<{ total: number }>("quotes", { body: { lamps: index + 1 } })),
);
for (const { sessionId, body } of replies) console.log(sessionId, body.total);
await client.close();
// shop-1 6
// shop-2 12
