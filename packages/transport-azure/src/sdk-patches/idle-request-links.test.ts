import { ServiceBusClient } from "@azure/service-bus";
import { createBroker } from "@waybill/broker";
import { serve } from "@waybill/broker-server";
import { describe, expect, it } from "vitest";
import { azureTransport } from "../azure-transport.js";
import type { AzureTransportOptions } from "../azure-transport-options.js";
import { until } from "../until.test-support.js";
import { sdkParts } from "./sdk-parts.test-support.js";

const queueCount = 130;

describe("links for requests", () => {
  it("stay open for the hundred entities that were used last", async () => {
    await using fixture = await openFixture();
    for (let id = 0; id < queueCount; id++) await fixture.peek(id);
    await until(() => fixture.open().length === 100);
    expect(fixture.open()).toContain(`queue-${queueCount - 1}`);
    expect(fixture.open()).not.toContain("queue-0");
  });

  it("are opened again when they are needed, and then others are closed", async () => {
    await using fixture = await openFixture();
    for (let id = 0; id < queueCount; id++) await fixture.peek(id);
    await fixture.peek(0);
    await until(() => fixture.open().length === 100);
    expect(fixture.open()).toContain("queue-0");
  });

  it("are not closed during a request, however many there are at once", async () => {
    await using fixture = await openFixture();
    const all = Array.from({ length: queueCount }, (_, id) => id);
    for (let turn = 0; turn < 3; turn++) await Promise.all(all.map((id) => fixture.peek(id)));
    await until(() => fixture.open().length === 100);
  });

  it("stay open for every entity with the SDK alone", async () => {
    await using fixture = await openFixture({ sdkPatches: false });
    for (let id = 0; id < queueCount; id++) await fixture.peek(id);
    await new Promise((resolve) => setImmediate(resolve));
    // When this fails, the SDK closes them itself, and the patch can go.
    expect(fixture.open()).toHaveLength(queueCount);
  });
});

async function openFixture(options?: AzureTransportOptions) {
  const broker = createBroker();
  for (let id = 0; id < queueCount; id++) await broker.createQueue(`queue-${id}`);
  const server = await serve(broker, { port: 0 });
  const client = new ServiceBusClient(server.connectionString);
  const transport = azureTransport(client, options);
  return {
    /** Peeks into a queue, and fails unless the broker answers. */
    async peek(id: number) {
      const receiver = transport.createReceiver({ queue: `queue-${id}` }, "peekLock");
      expect(await receiver.peek({ maxMessages: 1 })).toEqual([]);
      await receiver.close();
    },
    /** The queues whose links are open. */
    open: () =>
      Object.entries(sdkParts(client).managementClients)
        .filter(([, { link }]) => link?.isOpen())
        .map(([path]) => path),
    async [Symbol.asyncDispose]() {
      await transport.close();
      await client.close();
      await server.close();
      await broker.close();
    },
  };
}
