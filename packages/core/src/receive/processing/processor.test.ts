import { DeadLetterError, type ProcessErrorArgs, type ReceivedMessage } from "@waybill/core";
import { describe, expect, it } from "vitest";
import { createFixture, type Fixture, quiet, until } from "../../../test/fixture.js";

describe("subscribe", () => {
  it("delivers messages with their bodies and completes each when its handler has succeeded", async () => {
    await using fixture = await createFixture();
    const { seen, errors } = subscribe(fixture, () => {});
    await fixture.client.createSender("orders").sendMessages([{ body: 1 }, { body: 2 }]);
    await until(() => seen.length === 2);
    await quiet();
    expect(seen.map(({ body }) => body)).toEqual([1, 2]);
    expect(errors).toEqual([]);
    expect(await left(fixture)).toEqual([]);
  });

  it.each([1, 3])("has at most %i messages in the handler at a time", async (maxConcurrentCalls) => {
    await using fixture = await createFixture();
    await fixture.client
      .createSender("orders")
      .sendMessages(Array.from({ length: 9 }, (_, n) => ({ body: n })));
    let running = 0;
    let most = 0;
    const { seen } = subscribe(
      fixture,
      async () => {
        running++;
        most = Math.max(most, running);
        await quiet();
        running--;
      },
      { maxConcurrentCalls },
    );
    await until(() => seen.length === 9);
    expect(most).toBe(maxConcurrentCalls);
  });

  it("continues while messages wait to be completed, up to eight per call", async () => {
    await using fixture = await createFixture();
    await sendNumbers(fixture, 20);
    const confirm = holdCompletions(fixture);
    const { seen } = subscribe(fixture, () => {}, { maxConcurrentCalls: 1 });
    await quiet();
    expect(seen).toHaveLength(9);
    confirm();
    await until(() => seen.length === 20);
    await quiet();
    expect(await left(fixture)).toEqual([]);
  });

  it("closes after the waiting messages are completed", async () => {
    await using fixture = await createFixture();
    await sendNumbers(fixture, 2);
    const confirm = holdCompletions(fixture);
    let handled = 0;
    const processMessage = () => {
      handled++;
    };
    const subscription = fixture.client
      .createReceiver("orders")
      .subscribe({ processMessage, processError() {} }, { maxConcurrentCalls: 2 });
    await until(() => handled === 2);
    let isClosed = false;
    const closing = subscription.close().then(() => (isClosed = true));
    await quiet();
    expect(isClosed).toBe(false);
    confirm();
    await closing;
    expect(await left(fixture)).toEqual([]);
  });

  it("does not settle messages if autoCompleteMessages is false", async () => {
    await using fixture = await createFixture();
    const { seen } = subscribe(fixture, () => {}, { autoCompleteMessages: false });
    await fixture.client.createSender("orders").sendMessages({ body: 1 });
    await until(() => seen.length === 1);
    await quiet();
    expect(await left(fixture)).toHaveLength(1);
  });

  it("completes by default, also if the option is undefined", async () => {
    await using fixture = await createFixture();
    const { seen } = subscribe(fixture, () => {}, { autoCompleteMessages: undefined } as never);
    await fixture.client.createSender("orders").sendMessages({ body: 1 });
    await until(() => seen.length === 1);
    await quiet();
    expect(await left(fixture)).toEqual([]);
  });

  it("abandons a message whose handler throws, and passes the error to processError", async () => {
    await using fixture = await createFixture();
    const failure = new Error("out of paper");
    const { seen, errors } = subscribe(fixture, (message) => {
      if (message.deliveryCount === 0) throw failure;
    });
    await fixture.client.createSender("orders").sendMessages({ body: 1, messageId: "a" });
    await until(() => seen.length === 2);
    expect(errors).toMatchObject([
      { error: failure, errorSource: "processMessageCallback", entityPath: "orders", messageId: "a" },
    ]);
    expect(errors[0]!.rawMessage).toBeUndefined();
    await quiet();
    expect(await left(fixture)).toEqual([]);
  });

  it("survives a processError that throws or rejects", async () => {
    await using fixture = await createFixture();
    const receiver = fixture.client.createReceiver("orders");
    let calls = 0;
    receiver.subscribe({
      processMessage: () => {
        calls++;
        throw new Error("first");
      },
      processError: async () => {
        throw new Error("second");
      },
    });
    await fixture.client.createSender("orders").sendMessages({ body: 1 });
    await until(() => calls === 10);
    const dead = await fixture.client
      .createReceiver("orders", { subQueueType: "deadLetter" })
      .peekMessages(1);
    expect(dead).toMatchObject([{ deadLetterReason: "MaxDeliveryCountExceeded" }]);
  });

  it("does not settle a message that its handler settled", async () => {
    await using fixture = await createFixture();
    const receiver = fixture.client.createReceiver("orders");
    const errors: ProcessErrorArgs[] = [];
    receiver.subscribe({
      processMessage: (message) => receiver.deadLetterMessage(message, { deadLetterReason: "mine" }),
      processError: (args) => void errors.push(args),
    });
    await fixture.client.createSender("orders").sendMessages({ body: 1 });
    await quiet();
    expect(errors).toEqual([]);
    const dead = await fixture.client
      .createReceiver("orders", { subQueueType: "deadLetter" })
      .peekMessages(1);
    expect(dead).toMatchObject([{ deadLetterReason: "mine" }]);
  });

  it("waits for a settlement that its handler did not await", async () => {
    await using fixture = await createFixture();
    const receiver = fixture.client.createReceiver("orders");
    await fixture.client.createSender("orders").sendMessages({ body: 1 });
    fixture.broker.faults.delay("orders", 5_000);
    let handled = 0;
    const subscription = receiver.subscribe({
      processMessage: (message) => {
        handled++;
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
    fixture.clock.advance(5_000);
    await closing;
  });

  it("reports a failed completion, and the message is delivered again", async () => {
    await using fixture = await createFixture();
    const { seen, errors } = subscribe(fixture, ({ deliveryCount, lockToken }) => {
      if (deliveryCount === 0) fixture.broker.faults.loseLock("orders", lockToken!);
    });
    await fixture.client.createSender("orders").sendMessages({ body: 1, messageId: "a" });
    await until(() => seen.length === 2);
    await quiet();
    expect(errors).toMatchObject([
      { errorSource: "complete", messageId: "a", error: { code: "message-lock-lost" } },
    ]);
    expect(await left(fixture)).toEqual([]);
  });

  it("survives a lost link and reports it", async () => {
    await using fixture = await createFixture();
    const { seen, errors } = subscribe(fixture, () => {});
    await quiet();
    fixture.broker.faults.dropLinks("orders");
    await fixture.client.createSender("orders").sendMessages({ body: 1 });
    fixture.clock.advance(1_000);
    await until(() => seen.length === 1);
    expect(errors).toMatchObject([{ errorSource: "receive", error: { code: "connection-lost" } }]);
  });

  it("receives from subscriptions of topics", async () => {
    await using fixture = await createFixture();
    const seen: unknown[] = [];
    fixture.client.createReceiver("news", "all").subscribe({
      processMessage: ({ body }) => void seen.push(body),
      processError: () => {},
    });
    await fixture.client.createSender("news").sendMessages({ body: "extra" });
    await until(() => seen.length === 1);
    expect(seen).toEqual(["extra"]);
  });

  it.each([
    [{ maxConcurrentCalls: 0 }, "maxConcurrentCalls must be a positive integer; got 0."],
    [{ maxAutoLockRenewalDurationInMs: -1 }, "maxAutoLockRenewalDurationInMs must be"],
  ])("refuses %o", async (options, text) => {
    await using fixture = await createFixture();
    const handlers = { processMessage() {}, processError() {} };
    expect(() => fixture.client.createReceiver("orders").subscribe(handlers, options)).toThrow(text);
  });

  it("refuses to prefetch if that could lose messages", async () => {
    await using fixture = await createFixture();
    const receiver = fixture.client.createReceiver("orders", { receiveMode: "receiveAndDelete" });
    const handlers = { processMessage() {}, processError() {} };
    expect(() => receiver.subscribe(handlers, { prefetchCount: 1 })).toThrow("prefetchCount must be 0");
    const options = { receiveMode: "receiveAndDelete", prefetchCount: 1 } as const;
    expect(() => fixture.client.subscribeSessions("orders", handlers, options)).toThrow(
      "configuration-invalid",
    );
  });

  it("refuses missing handlers", async () => {
    await using fixture = await createFixture();
    const receiver = fixture.client.createReceiver("orders");
    expect(() => receiver.subscribe({ processMessage() {} } as never)).toThrow(
      "subscribe needs two functions, processMessage and processError.",
    );
  });
});

describe("a DeadLetterError with long texts", () => {
  it("truncates them to the broker's limits, without splitting a surrogate pair", async () => {
    await using fixture = await createFixture();
    await fixture.client.createSender("orders").sendMessages({ body: 1 });
    const text = `${"x".repeat(4_094)}😀 and more`;
    fixture.client.createReceiver("orders").subscribe({
      processMessage() {
        throw new DeadLetterError(text, text);
      },
      processError: () => {},
    });
    await quiet();
    const letters = fixture.client.createReceiver("orders", { subQueueType: "deadLetter" });
    const [dead] = await letters.peekMessages(1);
    expect(dead?.deadLetterReason).toBe(`${"x".repeat(4_094)}…`);
    expect(dead?.deadLetterErrorDescription).toBe(`${"x".repeat(4_094)}…`);
  });
});

describe("handlers that throw values which cannot be inspected", () => {
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
    ["a description that is not a string", () => new DeadLetterError("Bad", 1 as never)],
  ])("abandon their message: %s", async (_name, thrown) => {
    await using fixture = await createFixture();
    await fixture.client.createSender("orders").sendMessages({ body: 1 });
    const deliveryCounts: number[] = [];
    const subscription = fixture.client.createReceiver("orders").subscribe({
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
  fixture: Fixture,
  handle: (message: ReceivedMessage) => Promise<void> | void,
  options?: { maxConcurrentCalls?: number; autoCompleteMessages?: boolean },
) {
  const seen: ReceivedMessage[] = [];
  const errors: ProcessErrorArgs[] = [];
  fixture.client.createReceiver("orders").subscribe(
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

function left(fixture: Fixture) {
  return fixture.client.createReceiver("orders").peekMessages(9);
}

function sendNumbers({ client }: Fixture, count: number): Promise<void> {
  return client.createSender("orders").sendMessages(Array.from({ length: count }, (_, n) => ({ body: n })));
}

/** Makes new receivers wait before they complete a message, until the returned function is called. */
function holdCompletions({ transport }: Fixture): () => void {
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
