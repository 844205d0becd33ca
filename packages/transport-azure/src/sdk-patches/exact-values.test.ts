import { ServiceBusClient } from "@azure/service-bus";
import rhea from "rhea";
import { describe, expect, it } from "vitest";
import { openLossyFixture } from "../lossy-fixture.test-support.js";

/** The first integer that a number cannot represent. */
const big = 2n ** 53n + 1n;

describe("an integer just beyond 2^53", () => {
  it("is returned exactly: received, peeked and deferred", async () => {
    await using fixture = await openLossyFixture();
    await send(fixture);
    const receiver = fixture.transport.createReceiver({ queue: "orders" }, "peekLock");
    const [peeked] = await receiver.peek({ maxMessages: 1 });
    const [received] = await receiver.receive({ maxMessages: 1, maxWaitTimeInMs: 60_000 });
    await receiver.defer(received!.settlement!);
    const [deferred] = await receiver.receiveDeferred([received!.sequenceNumber]);
    for (const message of [peeked, received, deferred]) {
      expect(message?.applicationProperties).toEqual({ big });
    }
  });

  it("is rounded with the SDK alone, also if another client is patched, and while that client reads", async () => {
    await using fixture = await openLossyFixture();
    const { connectionString } = fixture;
    const other = new ServiceBusClient(connectionString);
    const { by_code: types } = rhea.types as never as { by_code: Record<number, { read: unknown }> };
    const readers = [types[0x80]!.read, types[0x81]!.read];
    await send(fixture);
    await send(fixture);
    const seen: unknown[] = [];
    const patched = fixture.client.createReceiver("orders");
    patched.subscribe({
      processMessage: async () => void seen.push(types[0x80]!.read, types[0x81]!.read),
      processError: async () => {},
    });
    await expect.poll(() => seen.length).toBe(4);
    expect(seen).toEqual([...readers, ...readers]);
    await patched.close();
    await send(fixture);
    const [message] = await other.createReceiver("orders").peekMessages(1);
    const [received] = await other.createReceiver("orders").receiveMessages(1);
    // When this fails, the fault is fixed upstream, and the patch can go.
    expect([message, received].map((one) => one?.applicationProperties?.big)).toEqual([2 ** 53, 2 ** 53]);
    await other.close();
  });
});

function send({ broker }: Awaited<ReturnType<typeof openLossyFixture>>): Promise<void> {
  const body = { section: "data", bytes: new Uint8Array() } as const;
  return broker.sender("orders").send({ body, applicationProperties: { big } });
}
