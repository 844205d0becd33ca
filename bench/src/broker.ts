import { createBroker } from "@waybill/broker";
import { WaybillClient } from "@waybill/core";
import { required } from "@waybill/foundation";
import { json } from "@waybill/serializer-json";
import { localTransport } from "@waybill/transport-local";
import { type SidedComparisons, sideOpener, suiteTogether } from "./harness/comparison.js";
import type { Side } from "./harness/side.js";
import { order } from "./payloads.js";

const body = order(1_000);
const goal = {
  baseline: () => ({ work: () => JSON.parse(JSON.stringify(body)) }),
  unit: "rate",
  target: 0.35,
} as const;

/** Sending, receiving and completing a message with the in-process broker, against only `JSON.stringify` and `JSON.parse` of the same body. */
const comparisons: SidedComparisons = {
  single: {
    name: "1 KB JSON: send, receive, complete one by one, against stringify + parse alone",
    ...goal,
    async subject(): Promise<Side> {
      const { sender, receiver } = await openQueue();
      return {
        async work() {
          await sender.sendMessages({ body });
          const message = required((await receiver.receiveMessages(1))[0]);
          await receiver.completeMessage(message);
        },
      };
    },
  },
  batches: {
    name: "1 KB JSON: the same in batches of 100, against stringify + parse alone",
    ...goal,
    async subject(): Promise<Side> {
      const { sender, receiver } = await openQueue();
      const messages = Array.from({ length: 100 }, () => ({ body }));
      return {
        async work() {
          await sender.sendMessages(messages);
          const received = await receiver.receiveMessages(100);
          await Promise.all(received.map((message) => receiver.completeMessage(message)));
        },
      };
    },
    unitsPerCall: { baseline: 1, subject: 100 },
  },
};

/** Both sides in the same process. */
export const brokerSuite = suiteTogether(import.meta.url, comparisons);
/** Opens a side of a part, in its own process. @public */
export const openSide = sideOpener(comparisons);

async function openQueue() {
  const broker = createBroker();
  await broker.createQueue("orders");
  const client = new WaybillClient(localTransport(broker), { serializer: json() });
  return { sender: client.createSender("orders"), receiver: client.createReceiver("orders") };
}
