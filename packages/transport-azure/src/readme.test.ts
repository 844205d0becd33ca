// #region imports
import { ServiceBusClient } from "@azure/service-bus";
import { WaybillClient } from "@waybill/core";
import { json } from "@waybill/serializer-json";
import { azureRetryOptions, azureTransport } from "@waybill/transport-azure";
// #endregion
import { expect, it, vi } from "vitest";
import { openLossyFixture } from "./lossy-fixture.test-support.js";

it("runs the README's example", async () => {
  await using fixture = await openLossyFixture();
  const { connectionString } = fixture;
  // #region use
  const serviceBusClient = new ServiceBusClient(connectionString, { retryOptions: azureRetryOptions });
  const client = new WaybillClient(azureTransport(serviceBusClient), { serializer: json() });

  await client.createSender("orders").sendMessages({ body: { order: 1 } });
  const receiver = client.createReceiver("orders");
  const [message] = await receiver.receiveMessages(1);
  await receiver.completeMessage(message!);

  await client.close();
  await serviceBusClient.close();
  // #endregion
  expect(message).toMatchObject({ body: { order: 1 } });
  expect(fixture.broker.getEntity("orders").totalMessageCount).toBe(0);
});

it("reports the applied patches", async () => {
  await using fixture = await openLossyFixture();
  const log = vi.spyOn(console, "log").mockImplementation(() => {});
  const serviceBusClient = fixture.client;
  // #region report
  const transport = azureTransport(serviceBusClient);
  for (const { name, status, reason } of transport.sdkPatches.patches) console.log(name, status, reason);
  // #endregion
  expect(log.mock.calls).toContainEqual(["exact-values", "applied", undefined]);
  log.mockRestore();
});

it("accepts options for its watchdog", async () => {
  await using fixture = await openLossyFixture();
  const serviceBusClient = fixture.client;
  // #region watchdog
  const impatient = azureTransport(serviceBusClient, { watchdog: { stallTimeoutInMs: 10_000 } });
  const unwatched = azureTransport(serviceBusClient, { watchdog: false });
  // #endregion
  await Promise.all([impatient.close(), unwatched.close()]);
});
