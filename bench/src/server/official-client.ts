import { setTimeout as delay } from "node:timers/promises";
import { ServiceBusClient, type ServiceBusMessage, type ServiceBusReceivedMessage } from "@azure/service-bus";
import type { Server } from "./start-server.js";

const queue = "orders";
const body = Buffer.alloc(1024, "x");

/** What the official client is measured at, each with 1 KB messages. */
export type OfficialClient = ReturnType<typeof openOfficialClient>;

/** What the types of a received message leave out: whether the server has confirmed its completion. */
interface Received extends ServiceBusReceivedMessage {
  readonly delivery: { readonly remote_settled: boolean };
}

/** Connects the unchanged official client. */
export function openOfficialClient({ port }: Server) {
  const client = new ServiceBusClient(
    `Endpoint=sb://127.0.0.1:${port};SharedAccessKeyName=n;SharedAccessKey=k;UseDevelopmentEmulator=true`,
  );
  const sender = client.createSender(queue);
  const receiver = client.createReceiver(queue, { skipParsingBodyAsJson: true });
  const hundred: ServiceBusMessage[] = Array.from({ length: 100 }, () => ({ body }));
  return {
    /** One by one, 32 of them in flight. */
    async send(count: number) {
      let left = count;
      const work = async (): Promise<void> => {
        while (left-- > 0) await sender.sendMessages({ body });
      };
      await Promise.all(Array.from({ length: 32 }, work));
    },
    /** In batches of 100. */
    async sendBatches(count: number) {
      for (let sent = 0; sent < count; sent += 100) await sender.sendMessages(hundred);
    },
    /** 100 at a time, completed in parallel. */
    async receive(count: number) {
      for (let received = 0; received < count; ) {
        const messages = await receiver.receiveMessages(Math.min(100, count - received));
        received += messages.length;
        await Promise.all(messages.map((message) => receiver.completeMessage(message)));
      }
    },
    /** By a subscription with 32 calls at once, which completes what its handler returns from; until the server has confirmed all of that. */
    async subscribe(count: number) {
      const subscriber = client.createReceiver(queue, { skipParsingBodyAsJson: true });
      const deliveries: Received["delivery"][] = [];
      await new Promise<void>((resolve, reject) => {
        subscriber.subscribe(
          {
            async processMessage(message) {
              if (deliveries.push((message as Received).delivery) === count) resolve();
            },
            async processError({ error }) {
              reject(error);
            },
          },
          { maxConcurrentCalls: 32 },
        );
      });
      // A client that closes before sends its completions once more, as requests to the management address.
      for (const delivery of deliveries) while (!delivery.remote_settled) await delay(1);
      await subscriber.close();
    },
    close: () => client.close(),
  };
}
