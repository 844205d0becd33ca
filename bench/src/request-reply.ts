import { createBroker } from "@waybill/broker";
import { WaybillClient } from "@waybill/core";
import { json } from "@waybill/serializer-json";
import { localTransport } from "@waybill/transport-local";
import type { Comparison } from "./compare.js";
import { order } from "./payloads.js";

/** What the comparisons run on; disposing it lets the process end. */
interface RequestReplyBench extends AsyncDisposable {
  readonly comparisons: readonly Comparison[];
}

/** A request and its reply through the in-process broker, against one message that is sent, received and completed. */
export async function openRequestReply(): Promise<RequestReplyBench> {
  const body = order(1_000);
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
  const baseline = async () => {
    await sender.sendMessages({ body });
    const [message] = await receiver.receiveMessages(1);
    await receiver.completeMessage(message!);
  };
  const own = client.createRequester("replies");
  const shared = client.createRequester("shared-replies", { replyToSessionId: "bench" });
  const comparisons: Comparison[] = [
    {
      name: "1 KB JSON: a request and its reply, over send, receive and complete of one message",
      baseline,
      subject: () => own.request("requests", { body }),
      unit: "time",
      target: 2.5,
    },
    {
      name: "1 KB JSON: the same with replies in a session of a shared queue",
      baseline,
      subject: () => shared.request("requests", { body }),
      unit: "time",
      target: 2.5,
    },
  ];
  return {
    comparisons,
    async [Symbol.asyncDispose]() {
      await client.close();
      await broker.close();
    },
  };
}
