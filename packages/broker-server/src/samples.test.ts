import type { ServiceBusReceivedMessage, ServiceBusReceiver } from "@azure/service-bus";
import { describe, expect, it } from "vitest";
import { codeOf, connect, openFixture } from "./fixture.test-support.js";

// The README and the samples of @azure/service-bus 7.9.5, by the samples' names, except features that other files test.

/** Subscribes and resolves when `handle` requests it; rejects with an error of the receiver. */
function subscribeUntil(
  receiver: ServiceBusReceiver,
  handle: (message: ServiceBusReceivedMessage) => Promise<boolean>,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const subscription = receiver.subscribe(
      {
        async processMessage(message) {
          if (await handle(message)) subscription.close().then(resolve, reject);
        },
        processError: async ({ error }) => reject(error),
      },
      { autoCompleteMessages: false },
    );
  });
}

const scientists = ["Einstein", "Heisenberg", "Curie", "Hawking", "Newton", "Bohr", "Faraday", "Galilei"];

describe("README", () => {
  it("sends with as many batches as are needed", async () => {
    await using fixture = await openFixture({ maxMessageSizeInKilobytes: 1 });
    let batch = await fixture.sender.createMessageBatch();
    let batches = 1;
    for (const name of scientists) {
      const message = { body: name.repeat(40) };
      if (batch.tryAddMessage(message)) continue;
      await fixture.sender.sendMessages(batch);
      batch = await fixture.sender.createMessageBatch();
      batches++;
      expect(batch.tryAddMessage(message)).toBe(true);
    }
    await fixture.sender.sendMessages(batch);
    expect(batches).toBeGreaterThan(1);
    expect(fixture.broker.getEntity("orders").activeMessageCount).toBe(scientists.length);
  });

  it("refuses an array that does not fit in one batch, before it is sent", async () => {
    await using fixture = await openFixture({ maxMessageSizeInKilobytes: 1 });
    const messages = scientists.map((name) => ({ body: name.repeat(40) }));
    expect(await codeOf(fixture.sender.sendMessages(messages))).toBe("MessageSizeExceeded");
    expect(fixture.broker.getEntity("orders").totalMessageCount).toBe(0);
  });

  it("iterates over messages", async () => {
    await using fixture = await openFixture();
    await fixture.sender.sendMessages(scientists.map((body) => ({ body })));
    const bodies: unknown[] = [];
    for await (const message of fixture.receiver.getMessageIterator()) {
      bodies.push(message.body);
      await fixture.receiver.completeMessage(message);
      if (bodies.length === scientists.length) break;
    }
    expect(bodies).toEqual(scientists);
    expect(fixture.broker.getEntity("orders").totalMessageCount).toBe(0);
  });

  it("receives from a subscription's dead-letter queue", async () => {
    await using fixture = await openFixture();
    await fixture.broker.createTopic("news");
    await fixture.broker.createSubscription("news", "all");
    await fixture.client.createSender("news").sendMessages({ body: 1 });
    const receiver = fixture.client.createReceiver("news", "all");
    const [message] = await receiver.receiveMessages(1);
    await receiver.deadLetterMessage(message!);
    const deadLetters = fixture.client.createReceiver("news", "all", { subQueueType: "deadLetter" });
    const [dead] = await deadLetters.receiveMessages(1);
    expect(dead!.body).toBe(1);
    await deadLetters.completeMessage(dead!);
  });

  it("receives a session's messages by subscription and by iterator", async () => {
    await using fixture = await openFixture({ requiresSession: true });
    await fixture.sender.sendMessages(scientists.map((body) => ({ body, sessionId: "a" })));
    const session = await fixture.client.acceptSession("orders", "a");
    const bodies: unknown[] = [];
    await subscribeUntil(session, async (message) => {
      bodies.push(message.body);
      await session.completeMessage(message);
      return bodies.length === 4;
    });
    await session.close();
    const again = await fixture.client.acceptSession("orders", "a");
    for await (const message of again.getMessageIterator()) {
      bodies.push(message.body);
      await again.completeMessage(message);
      if (bodies.length === scientists.length) break;
    }
    expect(bodies).toEqual(scientists);
  });
});

describe("receiveMessagesLoop", () => {
  it("receives until there are no more messages", async () => {
    await using fixture = await openFixture();
    await fixture.sender.sendMessages(scientists.map((body) => ({ body })));
    const bodies: unknown[] = [];
    for (;;) {
      const messages = await fixture.receiver.receiveMessages(3, { maxWaitTimeInMs: 50 });
      if (messages.length === 0) break;
      for (const message of messages) {
        bodies.push(message.body);
        await fixture.receiver.completeMessage(message);
      }
    }
    expect(bodies).toEqual(scientists);
  });
});

describe("receiveMessagesStreaming", () => {
  it("renews locks while a message is processed, and stops when it is closed", async () => {
    await using fixture = await openFixture({ lockDurationMs: 5000 });
    await fixture.sender.sendMessages([{ body: 1 }, { body: 2 }]);
    const bodies: unknown[] = [];
    await subscribeUntil(fixture.receiver, async (message) => {
      bodies.push(message.body);
      await fixture.receiver.renewMessageLock(message);
      await fixture.receiver.completeMessage(message);
      return bodies.length === 2;
    });
    await fixture.sender.sendMessages({ body: 3 });
    expect(bodies).toEqual([1, 2]);
    expect(fixture.broker.getEntity("orders").activeMessageCount).toBe(1);
  });
});

describe("advanced/deferral", () => {
  it("defers steps that arrive too early and processes them in order", async () => {
    await using fixture = await openFixture();
    const steps = [3, 1, 4, 2, 5];
    await fixture.sender.sendMessages(steps.map((step) => ({ body: { step } })));
    const early = new Map<number, NonNullable<ServiceBusReceivedMessage["sequenceNumber"]>>();
    const done: number[] = [];
    let seen = 0;
    await subscribeUntil(fixture.receiver, async (message) => {
      if (message.body.step === done.length + 1) {
        done.push(message.body.step);
        await fixture.receiver.completeMessage(message);
      } else {
        early.set(message.body.step, message.sequenceNumber!);
        await fixture.receiver.deferMessage(message);
      }
      return ++seen === steps.length;
    });
    while (early.has(done.length + 1)) {
      const [message] = await fixture.receiver.receiveDeferredMessages(early.get(done.length + 1)!);
      done.push(message!.body.step);
      await fixture.receiver.completeMessage(message!);
    }
    expect(done).toEqual([1, 2, 3, 4, 5]);
    expect(fixture.broker.getEntity("orders").totalMessageCount).toBe(0);
  });
});

describe("advanced/processMessageFromDLQ", () => {
  it("repairs a dead-lettered message and sends it again", async () => {
    await using fixture = await openFixture();
    await fixture.sender.sendMessages({ body: { name: "Einstien" }, contentType: "application/json" });
    const [wrong] = await fixture.receiver.receiveMessages(1);
    await fixture.receiver.deadLetterMessage(wrong!, {
      deadLetterReason: "Incorrect Recipe type",
      deadLetterErrorDescription: "Recipe type does not match preferences.",
    });
    const deadLetters = fixture.client.createReceiver("orders", { subQueueType: "deadLetter" });
    const [dead] = await deadLetters.receiveMessages(1);
    await fixture.sender.sendMessages({ ...dead!, body: { name: "Einstein" } });
    await deadLetters.completeMessage(dead!);
    const [repaired] = await fixture.receiver.receiveMessages(1);
    expect(repaired).toMatchObject({ body: { name: "Einstein" }, contentType: "application/json" });
  });

  it("finds messages that were delivered too often", async () => {
    await using fixture = await openFixture({ maxDeliveryCount: 2 });
    await fixture.sender.sendMessages({ body: 1 });
    for (let n = 0; n < 2; n++) {
      const [message] = await fixture.receiver.receiveMessages(1);
      await fixture.receiver.abandonMessage(message!);
    }
    const deadLetters = fixture.client.createReceiver("orders", { subQueueType: "deadLetter" });
    const [dead] = await deadLetters.receiveMessages(1);
    expect(dead).toMatchObject({ body: 1, deadLetterReason: "MaxDeliveryCountExceeded" });
  });
});

describe("advanced/sessionRoundRobin", () => {
  it("accepts one session after another until none has messages", async () => {
    await using fixture = await openFixture({ requiresSession: true });
    await fixture.sender.sendMessages(
      scientists.map((body, place) => ({ body, sessionId: `session-${place % 3}` })),
    );
    const client = connect(fixture.server.connectionString, 500);
    const bySession = new Map<string, unknown[]>();
    const work = async (): Promise<string> => {
      for (;;) {
        const session = await client.acceptNextSession("orders");
        const messages = await session.receiveMessages(10, { maxWaitTimeInMs: 100 });
        bySession.set(
          session.sessionId,
          messages.map(({ body }) => body),
        );
        for (const message of messages) await session.completeMessage(message);
        await session.close();
      }
    };
    expect(await Promise.all([codeOf(work()), codeOf(work())])).toEqual(["ServiceTimeout", "ServiceTimeout"]);
    expect([...bySession].sort()).toEqual([
      ["session-0", ["Einstein", "Hawking", "Faraday"]],
      ["session-1", ["Heisenberg", "Newton", "Galilei"]],
      ["session-2", ["Curie", "Bohr"]],
    ]);
    await client.close();
  });
});

describe("advanced/sessionState", () => {
  it("collects a shopping list over several receivers and clears it", async () => {
    await using fixture = await openFixture({ requiresSession: true });
    const items = ["milk", "eggs", "checkout"];
    await fixture.sender.sendMessages(items.map((body) => ({ body, sessionId: "alice" })));
    for (const item of items) {
      const session = await fixture.client.acceptNextSession("orders");
      const [message] = await session.receiveMessages(1);
      expect(message!.body).toBe(item);
      const list: unknown[] = (await session.getSessionState()) ?? [];
      await session.setSessionState(item === "checkout" ? null : [...list, item]);
      if (item === "checkout") expect(list).toEqual(["milk", "eggs"]);
      await session.completeMessage(message!);
      await session.close();
    }
    const session = await fixture.client.acceptSession("orders", "alice");
    expect(await session.getSessionState()).toBe(null);
  });
});

describe("advanced/topicSubscriptionWithRuleOperationsSample", () => {
  it("selects messages for subscriptions by SQL, by correlation and by default", async () => {
    await using fixture = await openFixture();
    await fixture.broker.createTopic("news");
    const names = ["all", "red", "important"];
    for (const name of names) await fixture.broker.createSubscription("news", name);
    const red = fixture.client.createRuleManager("news", "red");
    await red.deleteRule("$Default");
    await red.createRule("red", { sqlExpression: "colour = 'red' AND quantity > 5" });
    const important = fixture.client.createRuleManager("news", "important");
    await important.deleteRule("$Default");
    await important.createRule("important", { correlationId: "important" });
    await fixture.client.createSender("news").sendMessages([
      { body: 1, applicationProperties: { colour: "red", quantity: 10 } },
      { body: 2, applicationProperties: { colour: "red", quantity: 1 }, correlationId: "important" },
      { body: 3, applicationProperties: { colour: "blue", quantity: 10 } },
    ]);
    const bodies = await Promise.all(
      names.map(async (name) => {
        const receiver = fixture.client.createReceiver("news", name, { receiveMode: "receiveAndDelete" });
        return (await receiver.receiveMessages(10, { maxWaitTimeInMs: 100 })).map(({ body }) => body);
      }),
    );
    expect(bodies).toEqual([[1, 2, 3], [1], [2]]);
  });
});
