import { describe, expect, it } from "vitest";
import { openLossyFixture } from "../lossy-fixture.test-support.js";

type Fixture = Awaited<ReturnType<typeof openLossyFixture>>;

describe("two messages, one completed and one dead-lettered at the same time", () => {
  it("are both completed by the SDK alone: the dead-lettered message is lost", async () => {
    await using fixture = await openLossyFixture();
    await sendTwo(fixture);
    const { client: serviceBusClient } = fixture;
    // #region raw
    const receiver = serviceBusClient.createReceiver("orders");
    const [good, poison] = await receiver.receiveMessages(2);
    await Promise.all([receiver.completeMessage(good!), receiver.deadLetterMessage(poison!)]);
    // #endregion
    // When this fails, the fault is fixed upstream, and the guard can go.
    expect(counts(fixture)).toEqual({ totalMessageCount: 0, deadLetterMessageCount: 0 });
  });

  it("keep their outcomes with the transport", async () => {
    await using fixture = await openLossyFixture();
    await sendTwo(fixture);
    const receiver = fixture.transport.createReceiver({ queue: "orders" }, "peekLock");
    const [good, poison] = await receiver.receive({ maxMessages: 2, maxWaitTimeInMs: 60_000 });
    await Promise.all([
      receiver.complete(good!.settlement!),
      receiver.deadLetter(poison!.settlement!, { deadLetterReason: "unreadable" }),
    ]);
    expect(counts(fixture)).toEqual({ totalMessageCount: 1, deadLetterMessageCount: 1 });
  });
});

async function sendTwo({ broker }: Fixture): Promise<void> {
  const message = { body: { section: "data", bytes: new Uint8Array() } } as const;
  await broker.sender("orders").sendBatch([message, message]);
}

function counts({ broker }: Fixture) {
  const { totalMessageCount, deadLetterMessageCount } = broker.getEntity("orders");
  return { totalMessageCount, deadLetterMessageCount };
}
