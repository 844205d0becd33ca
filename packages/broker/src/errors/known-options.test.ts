import { describe, expect, it } from "vitest";
import { createBroker, openBroker } from "../client/broker.js";
import { requireKnownOptions } from "./known-options.js";

const names = { closeTimeoutMs: true, acceptAnyone: true, port: true };
const check = (options: unknown) => () => requireKnownOptions("box", options as object, names);

describe("requireKnownOptions", () => {
  it("accepts every known option, and one that is undefined", () => {
    expect(check({})).not.toThrow();
    expect(check({ port: 1, other: undefined })).not.toThrow();
  });

  it.each([
    ["closetimeoutms", "closeTimeoutMs"],
    ["closeTimoutMs", "closeTimeoutMs"],
    ["closeTimeoutInMs", "closeTimeoutMs"],
    ["prot", "port"],
    ["anyone", "acceptAnyone"],
  ])("refuses %s and suggests the most similar name", (name, nearest) => {
    expect(check({ [name]: 1 })).toThrow(
      new TypeError(`box: there is no option "${name}"; did you mean "${nearest}"?`),
    );
  });

  it("lists all options if none is similar, and truncates a long name", () => {
    expect(check({ colour: 1 })).toThrow(
      'box: there is no option "colour"; it has acceptAnyone, closeTimeoutMs, port.',
    );
    expect(check({ ["x".repeat(5000)]: 1 })).toThrow(/^box: there is no option "x{64}…"; it has/);
  });

  it("refuses names that every object inherits", () => {
    expect(check({ constructor: 1 })).toThrow('there is no option "constructor"');
    expect(check(JSON.parse('{"__proto__": 1}'))).toThrow('there is no option "__proto__"');
  });

  it("refuses a value that is not an object", () => {
    expect(check("5672")).toThrow("box: options must be an object; got a string.");
    expect(check(null)).toThrow("got null");
    expect(check([])).toThrow("got an array");
  });
});

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
