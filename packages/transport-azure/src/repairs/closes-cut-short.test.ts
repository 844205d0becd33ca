import { Connection, Receiver, Session } from "rhea-promise";
import { afterEach, describe, expect, it } from "vitest";
import { openLossyWorld } from "../lossy-world.test-support.js";
import { endClosesCutShort } from "./closes-cut-short.js";

const prototypes = [Object.getPrototypeOf(Receiver.prototype), Session.prototype, Connection.prototype];
const asTheyAre = prototypes.map(({ close }) => close as unknown);

afterEach(endClosesCutShort);

describe("what is closed while its connection breaks", () => {
  it.each(["a sender", "a receiver", "the client"] as const)("is closed: %s", async (what) => {
    await using world = await openLossyWorld();
    const it = await opened(world, what);
    world.network.drop();
    await it.close();
  });

  it("waits for ever with the SDK alone", async () => {
    await using world = await openLossyWorld();
    prototypes.forEach((prototype, index) => {
      prototype.close = asTheyAre[index];
    });
    const sender = await opened(world, "a sender");
    world.network.drop();
    let isClosed = false;
    void sender.close().then(() => (isClosed = true));
    // By then the client knows that the connection broke, and has another.
    await opened(world, "a sender");
    // When this fails, the SDK has been repaired, and need not be repaired here.
    expect(isClosed).toBe(false);
  });
});

async function opened(
  { client }: Awaited<ReturnType<typeof openLossyWorld>>,
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
