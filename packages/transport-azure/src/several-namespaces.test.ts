import { WaybillClient } from "@waybill/core";
import { failover, sharded, shardOf } from "@waybill/core/namespaces";
import { json } from "@waybill/serializer-json";
import { expect, it } from "vitest";
import { openLossyFixture } from "./lossy-fixture.test-support.js";
import { until } from "./until.test-support.js";

/** Retries as an application does. */
const retryOptions = { maxRetries: 1, retryDelayInMs: 10, maxRetryDelayInMs: 10, timeoutInMs: 2_000 };

it("keeps the order of each key over two brokers while one restarts", async () => {
  await using east = await openLossyFixture({}, retryOptions);
  await using west = await openLossyFixture({}, retryOptions);
  const names = ["east", "west"];
  const client = new WaybillClient(sharded({ east: east.transport, west: west.transport }), {
    serializer: json(),
  });
  const sender = client.createSender("orders");
  const keys = Array.from({ length: 6 }, (_, i) => `customer-${i}`);
  let restarts: Promise<void> = Promise.resolve();
  await Promise.all(
    keys.map(async (key) => {
      for (let step = 0; step < 20; step++) {
        if (key === keys[0] && step === 5) restarts = east.restartServer();
        await untilSent(() => sender.sendMessages({ partitionKey: key, body: { key, step } }));
      }
    }),
  );
  await restarts;
  for (const name of names) {
    const peeked = await client.createReceiver(`${name}:orders`).peekMessages(1_000);
    const bodies = peeked.map(({ body }) => body as { key: string; step: number });
    expect(new Set(bodies.map(({ key }) => shardOf(key, names)))).toEqual(new Set([name]));
    for (const key of keys.filter((one) => shardOf(one, names) === name)) {
      const steps = bodies.filter((body) => body.key === key).map(({ step }) => step);
      // A send that was in doubt is there twice, one after the other.
      expect(steps.filter((step, index) => step !== steps[index - 1])).toEqual(
        Array.from({ length: 20 }, (_, step) => step),
      );
    }
  }
  await client.close();
});

async function untilSent(send: () => Promise<void>): Promise<void> {
  for (;;) {
    try {
      return await send();
    } catch (error) {
      expect(error).toMatchObject({ retryable: true });
    }
  }
}

it("goes on with the second broker of a pair when the first is gone", async () => {
  await using east = await openLossyFixture({}, retryOptions);
  await using west = await openLossyFixture({}, retryOptions);
  const pair = failover(
    { east: east.transport, west: west.transport },
    { checkIntervalInMs: 100, unreachableAfterInMs: 200 },
  );
  const client = new WaybillClient(pair, { serializer: json() });
  const handled: unknown[] = [];
  client.subscribe("orders", {
    processMessage: ({ body }) => void handled.push(body),
    processError: () => {},
  });
  const sender = client.createSender("orders");
  await sender.sendMessages({ body: "here" });
  await until(() => east.broker.getEntity("orders").totalMessageCount === 0);
  await east.closeServer();
  await untilSent(() => sender.sendMessages({ body: "on the other side" }));
  expect(pair.activeNamespace).toBe("west");
  await until(() => handled.includes("on the other side"));
  await until(() => west.broker.getEntity("orders").totalMessageCount === 0);
  await client.close();
});
