import { DeadLetterError, type ProcessErrorArgs, type ReceivedMessage } from "@waybill/core";
import { describe, expect, it } from "vitest";
import { createWorld, quiet, until, type World } from "../test/world.js";

describe("subscribe", () => {
  it("delivers messages with their bodies and completes each when its handler has succeeded", async () => {
    await using world = await createWorld();
    const { seen, errors } = subscribe(world, () => {});
    await world.client.createSender("orders").sendMessages([{ body: 1 }, { body: 2 }]);
    await until(() => seen.length === 2);
    await quiet();
    expect(seen.map(({ body }) => body)).toEqual([1, 2]);
    expect(errors).toEqual([]);
    expect(await left(world)).toEqual([]);
  });

  it.each([1, 3])("has at most %i messages with the handler at once", async (maxConcurrentCalls) => {
    await using world = await createWorld();
    await world.client
      .createSender("orders")
      .sendMessages(Array.from({ length: 9 }, (_, n) => ({ body: n })));
    let running = 0;
    let most = 0;
    const { seen } = subscribe(
      world,
      async () => {
        running += 1;
        most = Math.max(most, running);
        await quiet();
        running -= 1;
      },
      { maxConcurrentCalls },
    );
    await until(() => seen.length === 9);
    expect(most).toBe(maxConcurrentCalls);
  });

  it("goes on while messages wait to be completed, for eight messages a call", async () => {
    await using world = await createWorld();
    await sendNumbers(world, 20);
    const confirm = holdCompletions(world);
    const { seen } = subscribe(world, () => {}, { maxConcurrentCalls: 1 });
    await quiet();
    expect(seen).toHaveLength(9);
    confirm();
    await until(() => seen.length === 20);
    await quiet();
    expect(await left(world)).toEqual([]);
  });

  it("closes when the messages that wait to be completed are", async () => {
    await using world = await createWorld();
    await sendNumbers(world, 2);
    const confirm = holdCompletions(world);
    let handled = 0;
    const processMessage = () => {
      handled += 1;
    };
    const subscription = world.client
      .createReceiver("orders")
      .subscribe({ processMessage, processError() {} }, { maxConcurrentCalls: 2 });
    await until(() => handled === 2);
    let isClosed = false;
    const closing = subscription.close().then(() => (isClosed = true));
    await quiet();
    expect(isClosed).toBe(false);
    confirm();
    await closing;
    expect(await left(world)).toEqual([]);
  });

  it("leaves messages to the handler when it is not to complete them", async () => {
    await using world = await createWorld();
    const { seen } = subscribe(world, () => {}, { autoCompleteMessages: false });
    await world.client.createSender("orders").sendMessages({ body: 1 });
    await until(() => seen.length === 1);
    await quiet();
    expect(await left(world)).toHaveLength(1);
  });

  it("completes by default, also when the option is there and undefined", async () => {
    await using world = await createWorld();
    const { seen } = subscribe(world, () => {}, { autoCompleteMessages: undefined } as never);
    await world.client.createSender("orders").sendMessages({ body: 1 });
    await until(() => seen.length === 1);
    await quiet();
    expect(await left(world)).toEqual([]);
  });

  it("abandons a message whose handler throws, and tells processError why", async () => {
    await using world = await createWorld();
    const failure = new Error("out of paper");
    const { seen, errors } = subscribe(world, (message) => {
      if (message.deliveryCount === 0) throw failure;
    });
    await world.client.createSender("orders").sendMessages({ body: 1, messageId: "a" });
    await until(() => seen.length === 2);
    expect(errors).toMatchObject([
      { error: failure, errorSource: "processMessageCallback", entityPath: "orders", messageId: "a" },
    ]);
    expect(errors[0]!.rawMessage).toBeUndefined();
    await quiet();
    expect(await left(world)).toEqual([]);
  });

  it("survives a processError that throws or rejects", async () => {
    await using world = await createWorld();
    const receiver = world.client.createReceiver("orders");
    let calls = 0;
    receiver.subscribe({
      processMessage: () => {
        calls += 1;
        throw new Error("first");
      },
      processError: async () => {
        throw new Error("second");
      },
    });
    await world.client.createSender("orders").sendMessages({ body: 1 });
    await until(() => calls === 10);
    const dead = await world.client.createReceiver("orders", { subQueueType: "deadLetter" }).peekMessages(1);
    expect(dead).toMatchObject([{ deadLetterReason: "MaxDeliveryCountExceeded" }]);
  });

  it("leaves a message alone that its handler settled", async () => {
    await using world = await createWorld();
    const receiver = world.client.createReceiver("orders");
    const errors: ProcessErrorArgs[] = [];
    receiver.subscribe({
      processMessage: (message) => receiver.deadLetterMessage(message, { deadLetterReason: "mine" }),
      processError: (args) => void errors.push(args),
    });
    await world.client.createSender("orders").sendMessages({ body: 1 });
    await quiet();
    expect(errors).toEqual([]);
    const dead = await world.client.createReceiver("orders", { subQueueType: "deadLetter" }).peekMessages(1);
    expect(dead).toMatchObject([{ deadLetterReason: "mine" }]);
  });

  it("waits for a settlement that its handler began and did not wait for", async () => {
    await using world = await createWorld();
    const receiver = world.client.createReceiver("orders");
    await world.client.createSender("orders").sendMessages({ body: 1 });
    world.broker.faults.delay("orders", 5_000);
    let handled = 0;
    const subscription = receiver.subscribe({
      processMessage: (message) => {
        handled += 1;
        void receiver.deadLetterMessage(message);
      },
      processError: () => {},
    });
    await until(() => handled === 1);
    let isClosed = false;
    const closing = subscription.close().then(() => {
      isClosed = true;
    });
    await quiet();
    expect(isClosed).toBe(false);
    world.clock.advance(5_000);
    await closing;
  });

  it("tells that it could not complete, and the message comes again", async () => {
    await using world = await createWorld();
    const { seen, errors } = subscribe(world, ({ deliveryCount, lockToken }) => {
      if (deliveryCount === 0) world.broker.faults.loseLock("orders", lockToken!);
    });
    await world.client.createSender("orders").sendMessages({ body: 1, messageId: "a" });
    await until(() => seen.length === 2);
    await quiet();
    expect(errors).toMatchObject([
      { errorSource: "complete", messageId: "a", error: { code: "message-lock-lost" } },
    ]);
    expect(await left(world)).toEqual([]);
  });

  it("survives a lost link and tells of it", async () => {
    await using world = await createWorld();
    const { seen, errors } = subscribe(world, () => {});
    await quiet();
    world.broker.faults.dropLinks("orders");
    await world.client.createSender("orders").sendMessages({ body: 1 });
    world.clock.advance(1_000);
    await until(() => seen.length === 1);
    expect(errors).toMatchObject([{ errorSource: "receive", error: { code: "connection-lost" } }]);
  });

  it("receives from subscriptions of topics", async () => {
    await using world = await createWorld();
    const seen: unknown[] = [];
    world.client.createReceiver("news", "all").subscribe({
      processMessage: ({ body }) => void seen.push(body),
      processError: () => {},
    });
    await world.client.createSender("news").sendMessages({ body: "extra" });
    await until(() => seen.length === 1);
    expect(seen).toEqual(["extra"]);
  });

  it.each([
    [{ maxConcurrentCalls: 0 }, "maxConcurrentCalls must be a positive integer; got 0."],
    [{ maxAutoLockRenewalDurationInMs: -1 }, "maxAutoLockRenewalDurationInMs must be"],
  ])("refuses %o", async (options, text) => {
    await using world = await createWorld();
    const handlers = { processMessage() {}, processError() {} };
    expect(() => world.client.createReceiver("orders").subscribe(handlers, options)).toThrow(text);
  });

  it("receives nothing ahead where that would lose it", async () => {
    await using world = await createWorld();
    const receiver = world.client.createReceiver("orders", { receiveMode: "receiveAndDelete" });
    const handlers = { processMessage() {}, processError() {} };
    expect(() => receiver.subscribe(handlers, { prefetchCount: 1 })).toThrow("prefetchCount must be 0");
    const options = { receiveMode: "receiveAndDelete", prefetchCount: 1 } as const;
    expect(() => world.client.subscribeSessions("orders", handlers, options)).toThrow(
      "configuration-invalid",
    );
  });

  it("refuses handlers that are missing", async () => {
    await using world = await createWorld();
    const receiver = world.client.createReceiver("orders");
    expect(() => receiver.subscribe({ processMessage() {} } as never)).toThrow(
      "subscribe needs two functions, processMessage and processError.",
    );
  });
});

describe("handlers that throw what cannot be looked at", () => {
  class Unnamed extends Error {
    override get name(): string {
      throw new Error("no name");
    }
  }

  it.each([
    ["undefined", () => undefined],
    ["a frozen error", () => Object.freeze(new Error("x"))],
    ["an object without a prototype", () => Object.create(null) as object],
    ["an error whose name cannot be read", () => new Unnamed()],
    ["a description that is no text", () => new DeadLetterError("Bad", 1 as never)],
  ])("give their message back: %s", async (_name, thrown) => {
    await using world = await createWorld();
    await world.client.createSender("orders").sendMessages({ body: 1 });
    const deliveryCounts: number[] = [];
    const subscription = world.client.createReceiver("orders").subscribe({
      processMessage({ deliveryCount }) {
        deliveryCounts.push(deliveryCount);
        if (deliveryCounts.length === 1) throw thrown();
      },
      processError: () => {},
    });
    await quiet();
    await subscription.close();
    expect(deliveryCounts).toEqual([0, 1]);
  });
});

function subscribe(
  world: World,
  handle: (message: ReceivedMessage) => Promise<void> | void,
  options?: { maxConcurrentCalls?: number; autoCompleteMessages?: boolean },
) {
  const seen: ReceivedMessage[] = [];
  const errors: ProcessErrorArgs[] = [];
  world.client.createReceiver("orders").subscribe(
    {
      processMessage: (message) => {
        seen.push(message);
        return handle(message);
      },
      processError: (args) => void errors.push(args),
    },
    options,
  );
  return { seen, errors };
}

function left(world: World) {
  return world.client.createReceiver("orders").peekMessages(9);
}

function sendNumbers({ client }: World, count: number): Promise<void> {
  return client.createSender("orders").sendMessages(Array.from({ length: count }, (_, n) => ({ body: n })));
}

/** Lets receivers made from now on wait before they complete a message, until the returned function is called. */
function holdCompletions({ transport }: World): () => void {
  let confirm = () => {};
  const confirmed = new Promise<void>((resolve) => (confirm = resolve));
  const create = transport.createReceiver.bind(transport);
  transport.createReceiver = (...args) => {
    const receiver = create(...args);
    const complete = receiver.complete.bind(receiver);
    receiver.complete = async (...completing) => {
      await confirmed;
      await complete(...completing);
    };
    return receiver;
  };
  return confirm;
}
