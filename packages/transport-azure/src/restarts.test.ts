import { setImmediate as turn } from "node:timers/promises";
import { type ProcessErrorArgs, WaybillClient } from "@waybill/core";
import { json } from "@waybill/serializer-json";
import { expect, it } from "vitest";
import { openLossyFixture } from "./lossy-fixture.test-support.js";
import { until } from "./until.test-support.js";

// A broker that restarts closes its connections cleanly, and their sockets end some time later. Meanwhile the client continues.
it("a client that sends, receives and peeks recovers when its broker restarts, and loses no message", async () => {
  await using fixture = await openLossyFixture({ lockDurationMs: 5_000, maxDeliveryCount: 100 });
  fixture.network.slowDownEnds();
  const client = new WaybillClient(fixture.transport, { serializer: json() });
  const handled = new Set<unknown>();
  const errors: ProcessErrorArgs[] = [];
  const handlers = {
    processMessage: ({ body }: { body: unknown }) => void handled.add(body),
    processError: (args: ProcessErrorArgs) => void errors.push(args),
  };
  client.createReceiver("orders").subscribe(handlers, { maxConcurrentCalls: 32 });

  const sent = new Set<string>();
  let isOver = false;
  const send = async (name: string) => {
    const sender = client.createSender("orders");
    for (let n = 0; !isOver; n++) {
      const body = `${name} ${n}`;
      await untilDone(() => sender.sendMessages({ body }));
      sent.add(body);
    }
  };
  const peek = async () => {
    const receiver = client.createReceiver("orders");
    while (!isOver) await untilDone(() => receiver.peekMessages(1));
  };
  const working = [...["a", "b", "c", "d", "e", "f", "g", "h"].map(send), peek()];
  const goesOn = (before = handled.size) => until(() => handled.size >= before + 200);
  for (let restarts = 0; restarts < 4; restarts++) {
    await goesOn();
    await fixture.restartServer();
  }
  await goesOn();
  isOver = true;
  await Promise.all(working);
  await until(() => handled.size >= sent.size);
  expect([...sent].filter((body) => !handled.has(body))).toEqual([]);
  const codes = new Set(errors.map(({ error }) => (error as { code?: unknown }).code));
  for (const code of ["connection-lost", "message-lock-lost"]) codes.delete(code);
  expect([...codes]).toEqual([]);
  await client.close();
});

/** Retries calls that failed without a connection, like applications. */
async function untilDone(work: () => Promise<unknown>): Promise<void> {
  for (;;) {
    try {
      await work();
      return;
    } catch (error) {
      expect(error).toMatchObject({ code: "connection-lost" });
      await turn();
    }
  }
}
