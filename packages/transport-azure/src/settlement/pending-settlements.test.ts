import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { ReceivedServiceBusMessage } from "../sdk/service-bus-client.js";
import { AzureDelivery } from "./azure-delivery.js";
import { PendingSettlements } from "./pending-settlements.js";
import { Settlement } from "./settlement.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("pending settlements", () => {
  it("are repeated once if an open link has not responded in time", () => {
    const again: Settlement[] = [];
    const pending = new PendingSettlements((settlement) => again.push(settlement));
    const [answered, patient, overdue] = [settlement(), settlement(), settlement()];
    for (const each of [answered, overdue]) pending.watch(each, 15_000);
    pending.watch(patient);
    vi.advanceTimersByTime(14_750);
    pending.succeeded(answered);
    expect(again).toEqual([]);
    vi.advanceTimersByTime(60_000);
    expect(again).toEqual([overdue]);
    expect(answered.delivery.state).toBe("settled");
    expect(patient.delivery.state).toBe("settling");
  });

  it("may still succeed on the link, but no longer fail there", () => {
    const pending = new PendingSettlements(() => {});
    const [failing, succeeding] = [settlement(), settlement()];
    for (const each of [failing, succeeding]) pending.watch(each, 15_000);
    vi.advanceTimersByTime(15_250);
    pending.failed(failing, new Error("The link is closed."));
    pending.succeeded(succeeding);
    expect(failing.delivery.state).toBe("settling");
    expect(succeeding.delivery.state).toBe("settled");
  });
});

/** The settlement of a message that no link delivered, so that it cannot be lost. */
function settlement(): Settlement {
  const message = { state: "active", body: 1, _rawAmqpMessage: {} } satisfies ReceivedServiceBusMessage;
  return new Settlement(new AzureDelivery(message), "complete", async () => {}, fault);
}

function fault(error: unknown): never {
  throw error;
}
