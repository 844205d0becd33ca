import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { openLossyFixture } from "../lossy-fixture.test-support.js";
import { sdkParts } from "./sdk-parts.test-support.js";

describe("closing while the connection breaks", () => {
  it.each(["a sender", "a receiver", "the client"] as const)("succeeds for %s", async (what) => {
    await using fixture = await openLossyFixture();
    const it = await opened(fixture, what);
    fixture.network.drop();
    await it.close();
  });

  it("waits forever with the SDK alone", async () => {
    await using fixture = await openLossyFixture({}, undefined, { sdkPatches: false });
    const sender = await opened(fixture, "a sender");
    const broken = once(sdkParts(fixture.client).connection, "disconnected");
    let isClosed = false;
    void sender.close().then(() => (isClosed = true));
    fixture.network.drop();
    await broken;
    await new Promise((resolve) => setImmediate(resolve));
    // When this fails, the fault is fixed upstream, and the patch can go.
    expect(isClosed).toBe(false);
  });
});

async function opened(
  { client }: Awaited<ReturnType<typeof openLossyFixture>>,
  what: "a sender" | "a receiver" | "the client",
): Promise<{ close(): Promise<void> }> {
  const sender = client.createSender("orders");
  await sender.sendMessages({ body: 1 });
  if (what === "a sender") return sender;
  if (what === "the client") return client;
  const receiver = client.createReceiver("orders");
  await receiver.receiveMessages(1);
  return receiver;
}
