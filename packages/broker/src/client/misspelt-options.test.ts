import { describe, expect, it } from "vitest";
import { createBroker, openBroker } from "./broker.js";

describe("a misspelt option", () => {
  it("is refused by createBroker and openBroker", async () => {
    expect(() => createBroker({ teir: "basic" } as object)).toThrow(
      'createBroker: there is no option "teir"; did you mean "tier"?',
    );
    await expect(openBroker({ store: {} } as never)).rejects.toThrow(
      'openBroker: there is no option "store"; did you mean "storage"?',
    );
  });

  it("is refused by senders, receivers and accepted sessions", async () => {
    await using broker = createBroker();
    await broker.createQueue("orders", { requiresSession: true });
    expect(() => broker.sender("orders", { vai: "q" } as object)).toThrow(
      'sender: there is no option "vai"; did you mean "via"?',
    );
    expect(() => broker.receiver("orders", { receiveMode: "receiveAndDelete" } as object)).toThrow(
      'receiver: there is no option "receiveMode"; did you mean "mode"?',
    );
    await expect(broker.acceptSession("orders", { sessionID: "a" } as object)).rejects.toThrow(
      'acceptSession: there is no option "sessionID"; did you mean "sessionId"?',
    );
  });

  it("is refused when an entity is created or changed", async () => {
    await using broker = createBroker();
    await expect(broker.createQueue("orders", { lockDuration: 5_000 } as object)).rejects.toMatchObject({
      code: "argument-error",
      message: "'orders' has no property lockDuration; did you mean \"lockDurationMs\"?",
    });
    await broker.createQueue("orders");
    await expect(broker.updateEntity("orders", { maxDeliveryCont: 5 } as object)).rejects.toThrow(
      'did you mean "maxDeliveryCount"?',
    );
  });
});
