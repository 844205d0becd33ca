import { ServiceBusAdministrationClient, ServiceBusClient } from "@azure/service-bus";
import { type Broker, createBroker } from "@waybill/broker";
import { serve } from "@waybill/broker-server";
import type { Transport } from "@waybill/core";
import { azureRetryOptions, azureTransport, speakPlainHttp } from "@waybill/transport-azure";
import { localTransport } from "@waybill/transport-local";
import type { TransportName } from "./options.js";

/** A transport to a broker with the queues. Disposing it closes everything, and deletes the queues on a broker elsewhere. */
export interface OpenTransport extends AsyncDisposable {
  readonly transport: Transport;
}

/**
 * Opens a broker with the queues, and a transport to it. With a connection string it uses that broker, for example `waybill broker`; rejects when
 * one of the queues already exists.
 */
export async function openTransport(
  name: TransportName,
  queues: readonly string[],
  connectionString?: string,
): Promise<OpenTransport> {
  if (connectionString !== undefined) return await openRemote(connectionString, queues);
  const broker = createBroker();
  for (const queue of queues) await broker.createQueue(queue);
  return name === "local" ? openLocal(broker) : openAzure(broker);
}

function openLocal(broker: Broker): OpenTransport {
  const transport = localTransport(broker);
  return closedWith(transport, () => broker.close());
}

async function openAzure(broker: Broker): Promise<OpenTransport> {
  const server = await serve(broker, { port: 0 });
  return connect(server.connectionString, async () => {
    await server.close();
    await broker.close();
  });
}

async function openRemote(connectionString: string, queues: readonly string[]): Promise<OpenTransport> {
  const administration = openAdministration(connectionString);
  for (const queue of queues) await administration.createQueue(queue);
  return connect(connectionString, async () => {
    for (const queue of queues) await administration.deleteQueue(queue);
  });
}

function connect(connectionString: string, closeBroker: () => Promise<void>): OpenTransport {
  const client = new ServiceBusClient(connectionString, { retryOptions: azureRetryOptions });
  return closedWith(azureTransport(client), async () => {
    await client.close();
    await closeBroker();
  });
}

/** A transport whose disposal closes it and then the rest. */
function closedWith(transport: Transport, closeRest: () => Promise<void>): OpenTransport {
  return {
    transport,
    async [Symbol.asyncDispose]() {
      await transport.close();
      await closeRest();
    },
  };
}

/** A local broker's connection string asks for plain HTTP. */
function openAdministration(connectionString: string): ServiceBusAdministrationClient {
  const client = new ServiceBusAdministrationClient(connectionString);
  if (/UseDevelopmentEmulator=true/i.test(connectionString)) speakPlainHttp(client);
  return client;
}
