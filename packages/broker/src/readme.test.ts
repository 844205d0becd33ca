import { createBroker, createManualClock } from "@waybill/broker";
import { expect, it } from "vitest";

it("shows what the page shows", async () => {
  // #region first-steps
  const clock = createManualClock();
  await using broker = createBroker({ clock });
  await broker.createQueue("orders", { maxDeliveryCount: 1 });

  const bytes = new TextEncoder().encode('{"id":1}');
  await broker.sender("orders").send({ messageId: "m1", body: { section: "data", bytes } });

  const receiver = broker.receiver("orders");
  const [message] = await receiver.receive();
  console.log(message?.messageId, message?.deliveryCount, message?.lockedUntil);

  clock.advance(60_000); // the lock ends, and with it the last delivery
  const [dead] = await broker.receiver("orders/$DeadLetterQueue").receive();
  console.log(dead?.deadLetterReason); // MaxDeliveryCountExceeded
  // #endregion
  expect(dead?.deadLetterReason).toBe("MaxDeliveryCountExceeded");
});
