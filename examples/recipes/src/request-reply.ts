import { createBroker } from "@waybill/broker";
import { WaybillClient } from "@waybill/core";
import { json } from "@waybill/serializer-json";
import { msgpack } from "@waybill/serializer-msgpack";
import { localTransport } from "@waybill/transport-local";

const broker = createBroker();
for (const queue of ["quotes", "shop-1-replies"]) await broker.createQueue(queue);
const transport = localTransport(broker);

// #region answer
const prices = new WaybillClient(transport, { serializer: msgpack(), additionalDeserializers: [json()] });
prices.createReceiver("quotes").subscribe<{ lamps: number }>({
  async processMessage(request) {
    await prices.reply(request, { total: request.body.lamps * 6 });
  },
  processError: ({ error }) => console.error(error),
});
// #endregion

// #region ask
const shop = new WaybillClient(transport, { serializer: json() });
const requester = shop.createRequester("shop-1-replies", { timeoutInMs: 5_000 });
const reply = await requester.request<{ total: number }>("quotes", { messageId: "q1", body: { lamps: 2 } });
console.log(reply.body.total, "for", reply.correlationId, "as", reply.contentType);
// #endregion
await requester.close();

// #region once
const again = await shop.request("quotes", { body: { lamps: 3 }, replyTo: "shop-1-replies" });
console.log(again.body);
// #endregion
await shop.close();
await prices.close();
// 12 for q1 as application/json
// { total: 18 }
