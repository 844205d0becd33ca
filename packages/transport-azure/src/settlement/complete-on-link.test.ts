import type { ServiceBusReceiver } from "@azure/service-bus";
import { afterEach, describe, expect, it, vi } from "vitest";
import { openServerEnvironment } from "../environments.test-support.js";
import { openLossyFixture } from "../lossy-fixture.test-support.js";
import type { ReceivedServiceBusMessage } from "../sdk/service-bus-client.js";
import { AzureDelivery } from "./azure-delivery.js";
import { completeOnLink } from "./complete-on-link.js";
import { PendingSettlements } from "./pending-settlements.js";
import { Settlement } from "./settlement.js";

afterEach(() => void vi.restoreAllMocks());

describe("a message that is completed", () => {
  it("is completed without the SDK's method", async () => {
    await using fixture = await openLossyFixture();
    const bySdk = spyOnComplete(fixture.client.createReceiver("orders"));
    const receiver = fixture.transport.createReceiver({ queue: "orders" }, "peekLock");
    await fixture.broker.sender("orders").sendBatch([{ body }, { body }]);
    const messages = await receiver.receive({ maxMessages: 2, maxWaitTimeInMs: 60_000 });
    await Promise.all(messages.map(({ settlement }) => receiver.complete(settlement!)));
    expect(fixture.broker.getEntity("orders").totalMessageCount).toBe(0);
    expect(bySdk).not.toHaveBeenCalled();
  });

  it("is completed by the SDK if no link delivered it", async () => {
    await using fixture = await openLossyFixture();
    const bySdk = spyOnComplete(fixture.client.createReceiver("orders"));
    const receiver = fixture.transport.createReceiver({ queue: "orders" }, "peekLock");
    await fixture.broker.sender("orders").send({ body });
    const [message] = await receiver.receive({ maxMessages: 1, maxWaitTimeInMs: 60_000 });
    await receiver.defer(message!.settlement!);
    const [deferred] = await receiver.receiveDeferred([message!.sequenceNumber!]);
    await receiver.complete(deferred!.settlement!);
    expect(fixture.broker.getEntity("orders").totalMessageCount).toBe(0);
    expect(bySdk).toHaveBeenCalledOnce();
  });

  it("reports the broker's outcome", async () => {
    await using environment = await openServerEnvironment();
    await using fixture = await environment.subject.create();
    const queue = await fixture.createQueue({
      lockDurationMs: 5_000,
      maxDeliveryCount: 10,
      requiresSession: false,
    });
    await fixture.transport.createSender(queue).send([{ body: new Uint8Array() }]);
    const receiver = fixture.transport.createReceiver({ queue }, "peekLock");
    const [message] = await receiver.receive({ maxMessages: 1, maxWaitTimeInMs: 60_000 });
    await fixture.advance(5_000);
    await expect(receiver.complete(message!.settlement!)).rejects.toMatchObject({
      code: "message-lock-lost",
      retryable: false,
      entityPath: queue,
      cause: { condition: "com.microsoft:message-lock-lost" },
    });
  });

  it.each([
    ["nothing", undefined],
    ["a delivery of another shape", { id: 1, link: { name: "x" } }],
    ["one that cannot be accepted", { link: openLink, remote_settled: false }],
    ["one that was answered", { link: openLink, remote_settled: true, accept: notReached }],
    [
      "one whose link does not emit events",
      { link: { is_open: openLink.is_open }, remote_settled: false, accept: notReached },
    ],
    [
      "one whose link is closed",
      { link: { ...openLink, is_open: (): boolean => false }, remote_settled: false, accept: notReached },
    ],
  ])("is completed by the SDK if its internals have %s", (_, delivery) => {
    const message = {
      state: "active",
      body: 1,
      _rawAmqpMessage: {},
      delivery,
    } satisfies ReceivedServiceBusMessage & { delivery: unknown };
    const settlement = new Settlement(new AzureDelivery(message), "complete", async () => {}, notReached);
    expect(completeOnLink(settlement, new PendingSettlements(notReached))).toBe(false);
  });
});

const body = { section: "data", bytes: new Uint8Array() } as const;

const openLink = { is_open: (): boolean => true, on: notReached };

function notReached(): never {
  throw new Error("This was not to be called.");
}

/** Spies on the method of all SDK receivers. */
function spyOnComplete(receiver: ServiceBusReceiver) {
  return vi.spyOn(Object.getPrototypeOf(receiver) as ServiceBusReceiver, "completeMessage");
}
