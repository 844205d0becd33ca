import { createBroker } from "@waybill/broker";
import { WaybillClient } from "@waybill/core";
import { required } from "@waybill/foundation";
import { json } from "@waybill/serializer-json";
import { localTransport } from "@waybill/transport-local";
import { comparison } from "./harness/comparison.js";
import type { Suite } from "./harness/probe.js";
import { order } from "./payloads.js";

const body = order(1_000);
const baseline = () => JSON.parse(JSON.stringify(body));
const goal = { baseline, unit: "rate", target: 0.35 } as const;

/** Sending, receiving and completing a message with the in-process broker, against only `JSON.stringify` and `JSON.parse` of the same body. */
export const brokerSuite: Suite = {
  async single() {
    const { sender, receiver } = await openQueue();
    return comparison({
      name: "1 KB JSON: send, receive, complete one by one, against stringify + parse alone",
      ...goal,
      subject: async () => {
        await sender.sendMessages({ body });
        const message = required((await receiver.receiveMessages(1))[0]);
        await receiver.completeMessage(message);
      },
    });
  },
  async batches() {
    const { sender, receiver } = await openQueue();
    const messages = Array.from({ length: 100 }, () => ({ body }));
    return comparison({
      name: "1 KB JSON: the same in batches of 100, against stringify + parse alone",
      ...goal,
      subject: async () => {
        await sender.sendMessages(messages);
        const received = await receiver.receiveMessages(100);
        await Promise.all(received.map((message) => receiver.completeMessage(message)));
      },
      unitsPerCall: { baseline: 1, subject: 100 },
    });
  },
};

async function openQueue() {
  const broker = createBroker();
  await broker.createQueue("orders");
  const client = new WaybillClient(localTransport(broker), { serializer: json() });
  return { sender: client.createSender("orders"), receiver: client.createReceiver("orders") };
}
