import { ServiceBusClient } from "@azure/service-bus";
import { createBroker, type QueueOptions } from "@waybill/broker";
import type { ServeOptions } from "./index.js";
import { serve } from "./index.js";

/** A broker with a queue `orders`, its server on its own port, and a connected official client. */
export async function openFixture(queue: QueueOptions = {}, options: ServeOptions = {}) {
  const broker = createBroker();
  await broker.createQueue("orders", queue);
  const server = await serve(broker, { port: 0, ...options });
  const client = connect(server.connectionString);
  return {
    broker,
    server,
    client,
    sender: client.createSender("orders"),
    receiver: queue.requiresSession ? undefined! : client.createReceiver("orders"),
    async [Symbol.asyncDispose](): Promise<void> {
      await client.close();
      await server.close();
      await broker.close();
    },
  };
}

/** The official client without retries, so that errors are reported immediately. */
export function connect(connectionString: string, timeoutInMs = 5000): ServiceBusClient {
  return new ServiceBusClient(connectionString, { retryOptions: { maxRetries: 0, timeoutInMs } });
}

/** The code of the error with which a call of the official client rejects. */
export async function codeOf(call: Promise<unknown>): Promise<string> {
  try {
    await call;
  } catch (error) {
    return (error as { code?: string }).code ?? String(error);
  }
  return "no error";
}
