import { ServiceBusClient } from "@azure/service-bus";
import { type Broker, createBroker } from "@waybill/broker";
import { serve } from "@waybill/broker-server";
import type { Transport } from "@waybill/core";
import { azureRetryOptions, azureTransport } from "@waybill/transport-azure";
import { localTransport } from "@waybill/transport-local";

/** How the messages travel: inside the process, or over AMQP through the official SDK and a server. */
export type TransportName = "local" | "azure";

/** Every way to travel, the first being the default. */
export const transportNames: readonly TransportName[] = ["local", "azure"];

/** A transport to a local broker with one queue. Disposing it closes all of them. */
export interface OpenTransport extends AsyncDisposable {
  readonly transport: Transport;
}

/** Opens the broker, and what it takes to reach it in this way. */
export async function openTransport(name: TransportName, queue: string): Promise<OpenTransport> {
  const broker = createBroker();
  await broker.createQueue(queue);
  return name === "local" ? openLocal(broker) : openAzure(broker);
}

function openLocal(broker: Broker): OpenTransport {
  const transport = localTransport(broker);
  return {
    transport,
    async [Symbol.asyncDispose]() {
      await transport.close();
      await broker.close();
    },
  };
}

async function openAzure(broker: Broker): Promise<OpenTransport> {
  const server = await serve(broker, { port: 0 });
  const client = new ServiceBusClient(server.connectionString, { retryOptions: azureRetryOptions });
  const transport = azureTransport(client);
  return {
    transport,
    async [Symbol.asyncDispose]() {
      await transport.close();
      await client.close();
      await server.close();
      await broker.close();
    },
  };
}
