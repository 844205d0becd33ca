import { createBroker } from "@waybill/broker";
import { WaybillClient } from "@waybill/core";
import { json } from "@waybill/serializer-json";
import { localTransport } from "@waybill/transport-local";
import type { Comparison } from "./compare.js";
import { order } from "./payloads.js";

/** The whole way of a message through the in-process broker, against turning the same body into text and back alone. */
export async function brokerComparisons(): Promise<Comparison[]> {
  const body = order(1_000);
  const broker = createBroker();
  await broker.createQueue("orders");
  const client = new WaybillClient(localTransport(broker), { serializer: json() });
  const sender = client.createSender("orders");
  const receiver = client.createReceiver("orders");
  const messages = Array.from({ length: 100 }, () => ({ body }));
  const baseline = () => JSON.parse(JSON.stringify(body));
  return [
    {
      name: "1 KB JSON: send, receive, complete one by one, against stringify + parse alone",
      baseline,
      subject: async () => {
        await sender.sendMessages({ body });
        const [message] = await receiver.receiveMessages(1);
        await receiver.completeMessage(message!);
      },
      unit: "rate",
      target: 0.35,
    },
    {
      name: "1 KB JSON: the same in batches of 100, against stringify + parse alone",
      baseline,
      subject: async () => {
        await sender.sendMessages(messages);
        const received = await receiver.receiveMessages(100);
        await Promise.all(received.map((message) => receiver.completeMessage(message)));
      },
      unitsPerCall: { baseline: 1, subject: 100 },
      unit: "rate",
      target: 0.35,
    },
  ];
}
