import { createBroker } from "@waybill/broker";
import { WaybillClient } from "@waybill/core";
import { json } from "@waybill/serializer-json";
import { localTransport } from "@waybill/transport-local";

const broker = createBroker();
await broker.createTopic("stock-enquiries");
for (const depot of ["north", "south", "west"]) await broker.createSubscription("stock-enquiries", depot);
await broker.createQueue("shop-1-replies");
const client = new WaybillClient(localTransport(broker), { serializer: json() });

for (const depot of ["north", "south", "west"]) {
  client.createReceiver("stock-enquiries", depot).subscribe({
    processMessage: (enquiry) => client.reply(enquiry, { depot, lamps: depot.length }),
    processError: ({ error }) => console.error(error),
  });
}

const requester = client.createRequester("shop-1-replies");
const replies = requester.requestMany<{ depot: string; lamps: number }>(
  "stock-enquiries",
  { body: { article: "lamp" } },
  { timeoutInMs: 2_000, maxReplies: 3 },
);
for await (const { body } of replies) console.log(body.depot, "has", body.lamps);
await client.close();
// north has 5
// south has 5
// west has 4
