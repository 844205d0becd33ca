import { createBroker } from "@waybill/broker";
import { type Requester, WaybillClient } from "@waybill/core";
import { required } from "@waybill/foundation";
import { json } from "@waybill/serializer-json";
import { localTransport } from "@waybill/transport-local";
import type { Probe, Suite } from "./harness/probe.js";
import { warmUp } from "./harness/sample.js";
import { order } from "./payloads.js";

const body = order(1_000);

/** A request and its reply with the in-process broker, against one message that is sent, received and completed. */
export const requestReplySuite: Suite = {
  own: () =>
    overMessage(
      "1 KB JSON: a request and its reply, over send, receive and complete of one message",
      (client) => client.createRequester("replies"),
    ),
  shared: () =>
    overMessage("1 KB JSON: the same with replies in a session of a shared queue", (client) =>
      client.createRequester("shared-replies", { replyToSessionId: "bench" }),
    ),
};

function overMessage(name: string, open: (client: WaybillClient) => Requester): Probe {
  return {
    lines: [
      {
        name,
        unit: "time",
        target: 2,
        shortfall: {
          mustHold: 2.5,
          reason:
            "two messages are sent, received and settled, which is 2 already, and the reply is matched to its request",
        },
      },
    ],
    async open() {
      const broker = createBroker();
      for (const queue of ["orders", "requests", "replies"]) await broker.createQueue(queue);
      await broker.createQueue("shared-replies", { requiresSession: true });
      const client = new WaybillClient(localTransport(broker), { serializer: json() });
      const sender = client.createSender("orders");
      const receiver = client.createReceiver("orders");
      client.createReceiver("requests").subscribe({
        processMessage: (request) => client.reply(request, request.body),
        processError({ error }) {
          throw error;
        },
      });
      const requester = open(client);
      const baseline = async () => {
        await sender.sendMessages({ body });
        const message = required((await receiver.receiveMessages(1))[0]);
        await receiver.completeMessage(message);
      };
      const subject = () => requester.request("requests", { body });
      return {
        sides: { baseline: await warmUp(baseline), subject: await warmUp(subject) },
        async close() {
          await client.close();
          await broker.close();
        },
      };
    },
  };
}
