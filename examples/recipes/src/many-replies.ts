import { createBroker } from "@waybill/broker";
import { WaybillClient } from "@waybill/core";
import { json } from "@waybill/serializer-json";
import { localTransport } from "@waybill/transport-local";

const broker = createBroker();
for (const queue of ["reports", "replies"]) await broker.createQueue(queue);
const client = new WaybillClient(localTransport(broker), { serializer: json() });

client.createReceiver("reports").subscribe({
  async processMessage(request) {
    for (const page of [1, 2]) await client.reply(request, { page });
    await client.reply(request, { isDone: true });
  },
  processError: ({ error }) => console.error(error),
});

const pages = client.requestMany<{ page?: number; isDone?: boolean }>(
  "reports",
  { body: { month: 5 }, replyTo: "replies" },
  { isLast: ({ body }) => body.isDone === true },
);
for await (const { body } of pages) console.log(body.isDone ? "that is all" : `page ${body.page}`);
await client.close();
// page 1
// page 2
// that is all
