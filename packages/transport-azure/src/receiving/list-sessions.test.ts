import { ServiceBusClient } from "@azure/service-bus";
import { ServiceBusClient as NextServiceBusClient } from "@azure/service-bus-beta";
import { createBroker } from "@waybill/broker";
import { serve } from "@waybill/broker-server";
import { WaybillClient } from "@waybill/core";
import { json } from "@waybill/serializer-json";
import { describe, expect, it } from "vitest";
import { azureTransport } from "../azure-transport.js";
import type { ServiceBusClientLike } from "../sdk/service-bus-client.js";

const body = { section: "data", bytes: new Uint8Array([0x7b, 0x7d]) } as const;

/** A queue and a subscription with sessions, and a waybill client on an SDK client. */
async function openSessions(
  connect: (connectionString: string) => ServiceBusClientLike & { close(): Promise<void> },
) {
  const broker = createBroker();
  await broker.createQueue("carts", { requiresSession: true });
  await broker.createTopic("news");
  await broker.createSubscription("news", "all", { requiresSession: true });
  const server = await serve(broker, { port: 0 });
  const sdk = connect(server.connectionString);
  const transport = azureTransport(sdk);
  return {
    broker,
    transport,
    client: new WaybillClient(transport, { serializer: json() }),
    async [Symbol.asyncDispose](): Promise<void> {
      await transport.close();
      await sdk.close();
      await server.close();
      await broker.close();
    },
  };
}

async function all(ids: AsyncIterable<string>): Promise<string[]> {
  const found: string[] = [];
  for await (const id of ids) found.push(id);
  return found;
}

describe.each([
  ["7.9.5", (connectionString: string) => new ServiceBusClient(connectionString)],
  ["7.10.0-beta.2", (connectionString: string) => new NextServiceBusClient(connectionString)],
])("listing sessions with version %s of the SDK", (_, connect) => {
  it("finds sessions that have messages, page by page, in queues and subscriptions", async () => {
    await using fixture = await openSessions(connect);
    expect(await all(fixture.client.listSessions("carts"))).toEqual([]);
    const ids = Array.from({ length: 130 }, (_, i) => `cart ${String(i).padStart(3, "0")}`);
    await fixture.broker.sender("carts").sendBatch(ids.map((sessionId) => ({ sessionId, body })));
    await fixture.broker.sender("news").send({ sessionId: "ada", body });
    expect(await all(fixture.client.listSessions("carts"))).toEqual(ids);
    expect(await all(fixture.client.listSessions("news", "all"))).toEqual(["ada"]);
  });

  it("finds sessions whose state was set after a time", async () => {
    await using fixture = await openSessions(connect);
    const session = await fixture.client.acceptSession("carts", "ada");
    await session.setSessionState({ total: 3 });
    await session.close();
    const updatedAfter = new Date(Date.now() - 60_000);
    expect(await all(fixture.client.listSessions("carts", { updatedAfter }))).toEqual(["ada"]);
    expect(
      await all(fixture.client.listSessions("carts", { updatedAfter: new Date(Date.now() + 60_000) })),
    ).toEqual([]);
    expect(await all(fixture.client.listSessions("carts"))).toEqual([]);
  });

  it("fails like other calls of the transport", async () => {
    await using fixture = await openSessions(connect);
    await expect(all(fixture.client.listSessions("nowhere"))).rejects.toMatchObject({
      code: "entity-not-found",
    });
    const abortSignal = AbortSignal.abort();
    await expect(all(fixture.client.listSessions("carts", { abortSignal }))).rejects.toMatchObject({
      code: "aborted",
    });
    await fixture.transport.close();
    await expect(all(fixture.client.listSessions("carts"))).rejects.toMatchObject({ code: "closed" });
  });
});

describe("listing sessions with other versions", () => {
  it("uses the method of the SDK client if it has one", async () => {
    const asked: unknown[] = [];
    await using fixture = await openSessions((connectionString) =>
      Object.assign(new ServiceBusClient(connectionString), {
        async *listMessageSessions(...call: unknown[]) {
          asked.push(call.filter((one) => typeof one === "string"));
          for (let i = 0; i < 150; i++) yield `session ${i}`;
        },
      }),
    );
    expect(await all(fixture.client.listSessions("carts"))).toHaveLength(150);
    expect(await all(fixture.client.listSessions("news", "all"))).toHaveLength(150);
    expect(asked).toEqual([["carts"], ["carts"], ["news", "all"], ["news", "all"]]);
  });

  it("is not a capability if there is no method at all", () => {
    const transport = azureTransport({ createReceiver() {} } as never);
    expect(transport.capabilities.has("sessionEnumeration")).toBe(false);
    expect(transport.listSessions).toBeUndefined();
  });
});
