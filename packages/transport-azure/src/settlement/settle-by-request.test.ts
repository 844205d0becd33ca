import { WaybillClient, type WaybillError } from "@waybill/core";
import { json } from "@waybill/serializer-json";
import { describe, expect, it, vi } from "vitest";
import { openLossyWorld } from "../lossy-world.test-support.js";
import type { AzureDelivery } from "./azure-delivery.js";
import { isLinkLost } from "./lost-link.js";

type World = Awaited<ReturnType<typeof openLossyWorld>>;

describe("a settlement whose connection broke for good", () => {
  it.each(["before", "after"])("ends when its receiver closes; it began %s the break", async (when) => {
    await using world = await openLossyWorld();
    const receiver = world.transport.createReceiver({ queue: "orders" }, "peekLock");
    await send(world);
    const [message] = await receiver.receive({ maxMessages: 1, maxWaitTimeInMs: 5_000 });
    if (when === "after") world.network.takeDown();
    const settling = receiver.complete(message!.settlement!);
    const ended = expect(settling).rejects.toMatchObject({ code: "closed" });
    if (when === "before") world.network.takeDown();
    await vi.waitUntil(() => isLinkLost((message!.settlement as AzureDelivery).message));
    await receiver.close();
    await ended;
  });

  it("does not hold up a client that closes", async () => {
    await using world = await openLossyWorld();
    const client = new WaybillClient(world.transport, { serializer: json() });
    await send(world);
    let finish: (() => void) | undefined;
    const errors: string[] = [];
    client.createReceiver("orders").subscribe(
      {
        processMessage: () => new Promise<void>((resolve) => (finish = resolve)),
        processError: ({ error, errorSource }) =>
          void errors.push(`${errorSource} ${(error as WaybillError).code}`),
      },
      { closeTimeoutInMs: 500 },
    );
    await vi.waitUntil(() => finish !== undefined);
    world.network.takeDown();
    finish!();
    await client.close();
    await vi.waitUntil(() => errors.includes("complete closed"));
  });
});

function send({ broker }: World): Promise<void> {
  const body = { section: "data", bytes: new TextEncoder().encode("1") } as const;
  return broker.sender("orders").send({ contentType: "application/json", body });
}
