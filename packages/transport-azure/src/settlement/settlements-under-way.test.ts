import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { ReceivedServiceBusMessage } from "../sdk/service-bus-client.js";
import { AzureDelivery } from "./azure-delivery.js";
import { Settlement } from "./settlement.js";
import { SettlementsUnderWay } from "./settlements-under-way.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("settlements under way", () => {
  it("are made again, once, when an open link has not answered in time", () => {
    const again: Settlement[] = [];
    const underWay = new SettlementsUnderWay((settlement) => again.push(settlement));
    const [answered, patient, overdue] = [settlement(), settlement(), settlement()];
    for (const each of [answered, overdue]) underWay.watch(each, 15_000);
    underWay.watch(patient);
    vi.advanceTimersByTime(14_750);
    underWay.succeeded(answered);
    expect(again).toEqual([]);
    vi.advanceTimersByTime(60_000);
    expect(again).toEqual([overdue]);
    expect(answered.delivery.state).toBe("settled");
    expect(patient.delivery.state).toBe("settling");
  });

  it("may be answered on the link all the same, but do not fail there any more", () => {
    const underWay = new SettlementsUnderWay(() => {});
    const [failing, succeeding] = [settlement(), settlement()];
    for (const each of [failing, succeeding]) underWay.watch(each, 15_000);
    vi.advanceTimersByTime(15_250);
    underWay.failed(failing, new Error("The link is closed."));
    underWay.succeeded(succeeding);
    expect(failing.delivery.state).toBe("settling");
    expect(succeeding.delivery.state).toBe("settled");
  });
});

/** The settlement of a message that no link brought, which therefore cannot be lost. */
function settlement(): Settlement {
  const message = { state: "active", body: 1, _rawAmqpMessage: {} } satisfies ReceivedServiceBusMessage;
  return new Settlement(new AzureDelivery(message), "complete", async () => {}, fault);
}

function fault(error: unknown): never {
  throw error;
}
