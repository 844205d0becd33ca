import { WaybillClient, type WaybillError } from "@waybill/core";
import { json } from "@waybill/serializer-json";
import { describe, expect, it } from "vitest";
import { openLossyFixture } from "../lossy-fixture.test-support.js";
import { until } from "../until.test-support.js";
import type { AzureDelivery } from "./azure-delivery.js";
import { isLinkLost } from "./lost-link.js";

type Fixture = Awaited<ReturnType<typeof openLossyFixture>>;

describe("a settlement whose connection does not recover", () => {
  it.each(["before", "after"])("ends when its receiver closes; it began %s the break", async (when) => {
    await using fixture = await openLossyFixture();
    const receiver = fixture.transport.createReceiver({ queue: "orders" }, "peekLock");
    await send(fixture);
    const [message] = await receiver.receive({ maxMessages: 1, maxWaitTimeInMs: 60_000 });
    if (when === "after") fixture.network.takeDown();
    const settling = receiver.complete(message!.settlement!);
    const ended = expect(settling).rejects.toMatchObject({ code: "closed" });
    if (when === "before") fixture.network.takeDown();
    await until(() => isLinkLost((message!.settlement as AzureDelivery).message));
    await receiver.close();
    await ended;
  });

  it("does not delay a client that closes", async () => {
    await using fixture = await openLossyFixture();
    const client = new WaybillClient(fixture.transport, { serializer: json() });
    await send(fixture);
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
    await until(() => finish !== undefined);
    fixture.network.takeDown();
    finish!();
    await client.close();
    await until(() => errors.includes("complete closed"));
  });
});

function send({ broker }: Fixture): Promise<void> {
  const body = { section: "data", bytes: new TextEncoder().encode("1") } as const;
  return broker.sender("orders").send({ contentType: "application/json", body });
}
