import { createBroker, createManualClock } from "@waybill/broker";
import { DeadLetterError, WaybillClient } from "@waybill/core";
import { json } from "@waybill/serializer-json";
import { localTransport } from "@waybill/transport-local";

const clock = createManualClock();
const broker = createBroker({ clock });
await broker.createQueue("orders");
const client = new WaybillClient(localTransport(broker), { serializer: json() });
await client.createSender("orders").sendMessages([
  { messageId: "a", body: { order: 1 } },
  { messageId: "b", body: { order: 2, customer: "nobody" } },
]);

let isPrinted = false;
const subscription = client.createReceiver("orders").subscribe<{ order: number; customer?: string }>(
  {
    async processMessage({ body, applicationProperties }) {
      if (body.customer === "nobody") throw new DeadLetterError("NoSuchCustomer");
      if (applicationProperties["waybill-retry-count"] === undefined) throw new Error("out of paper");
      console.log("printed", body.order);
      isPrinted = true;
    },
    processError: ({ error, errorSource }) => console.log(errorSource, (error as Error).message),
  },
  { maxConcurrentCalls: 2, retry: { delayInMs: (retry) => 1000 * 2 ** retry } },
);
await new Promise(setImmediate);
clock.advance(2000);
while (!isPrinted) await new Promise(setImmediate);
await subscription.close({ closeTimeoutInMs: 5000 });

const [dead] = await client.createReceiver("orders", { subQueueType: "deadLetter" }).peekMessages(1);
console.log(dead?.messageId, dead?.deadLetterReason);
await client.close();
// processMessageCallback out of paper
// processMessageCallback NoSuchCustomer
// printed 1
// b NoSuchCustomer
