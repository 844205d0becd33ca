import type { ProcessErrorArgs } from "@waybill/core";
import { decodeFailure } from "@waybill/core/serializer";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createFixture, custom, poison, quiet, reading, registryBound, until } from "../../test/fixture.js";

describe("closing a subscription", () => {
  it("stops new deliveries and waits for running handlers", async () => {
    await using fixture = await createFixture();
    await fixture.client.createSender("orders").sendMessages([{ body: 1 }, { body: 2 }, { body: 3 }]);
    const finish: (() => void)[] = [];
    const receiver = fixture.client.createReceiver("orders");
    const subscription = receiver.subscribe(
      {
        processMessage: () => new Promise<void>((resolve) => finish.push(resolve)),
        processError: () => {},
      },
      { maxConcurrentCalls: 2 },
    );
    await until(() => finish.length === 2);
    let isClosed = false;
    const closing = subscription.close().then(() => {
      isClosed = true;
    });
    finish[0]!();
    await quiet();
    expect(isClosed).toBe(false);
    finish[1]!();
    await closing;
    expect(finish).toHaveLength(2);
    expect((await receiver.peekMessages(9)).map(({ body }) => body)).toEqual([3]);
  });

  it("abandons delayed messages at once", async () => {
    await using fixture = await createFixture({
      client: { additionalDeserializers: [registryBound({ isUp: false })] },
    });
    await fixture.client.createSender("orders").sendEncodedMessages(custom("c"));
    const errors: ProcessErrorArgs[] = [];
    const receiver = fixture.client.createReceiver("orders");
    const subscription = receiver.subscribe({
      processMessage: () => {},
      processError: (args) => void errors.push(args),
    });
    await until(() => errors.length === 1);
    await subscription.close();
    expect(await receiver.peekMessages(1)).toMatchObject([{ deliveryCount: 1 }]);
  });

  it.each(["before", "later"])("can be done with its abort signal: %s", async (when) => {
    await using fixture = await createFixture();
    const givingUp = new AbortController();
    if (when === "before") givingUp.abort();
    const receiver = fixture.client.createReceiver("orders");
    receiver.subscribe(
      { processMessage: () => expect.unreachable(), processError: () => {} },
      { abortSignal: givingUp.signal },
    );
    givingUp.abort();
    await quiet();
    await fixture.client.createSender("orders").sendMessages({ body: 1 });
    await quiet();
    expect(await receiver.receiveMessages(1)).toMatchObject([{ deliveryCount: 0 }]);
  });
});

describe("closing a receiver", () => {
  it("waits for its handlers, which can still settle", async () => {
    await using fixture = await createFixture();
    await fixture.client.createSender("orders").sendMessages({ body: 1 });
    const receiver = fixture.client.createReceiver("orders");
    let finish = () => {};
    const errors: ProcessErrorArgs[] = [];
    receiver.subscribe({
      processMessage: async (message) => {
        await new Promise<void>((resolve) => (finish = resolve));
        await receiver.deferMessage(message);
      },
      processError: (args) => void errors.push(args),
    });
    await quiet();
    const closing = receiver.close();
    expect(receiver.isClosed).toBe(true);
    await expect(receiver.receiveMessages(1)).rejects.toMatchObject({ code: "closed" });
    finish();
    await closing;
    expect(errors).toEqual([]);
    const peeked = await fixture.client.createReceiver("orders").peekMessages(1);
    expect(peeked).toMatchObject([{ state: "deferred" }]);
  });

  it("abandons messages held by receiveMessages", async () => {
    await using fixture = await createFixture({
      client: { additionalDeserializers: [registryBound({ isUp: false })] },
    });
    await fixture.client.createSender("orders").sendEncodedMessages(custom("c"));
    const receiver = fixture.client.createReceiver("orders");
    await expect(receiver.receiveMessages(1)).rejects.toMatchObject({ code: "unavailable" });
    await receiver.close();
    const peeked = await fixture.client.createReceiver("orders").peekMessages(1);
    expect(peeked).toMatchObject([{ deliveryCount: 1 }]);
  });

  it("ends a pending call, refuses further calls and settles nothing", async () => {
    await using fixture = await createFixture();
    await fixture.client.createSender("orders").sendMessages({ body: 1 });
    const receiver = fixture.client.createReceiver("orders");
    const [message] = await receiver.receiveMessages(1);
    const waiting = receiver.receiveMessages(1);
    await Promise.all([receiver.close(), receiver.close()]);
    const closed = { code: "closed" };
    await expect(waiting).rejects.toMatchObject(closed);
    await expect(receiver.peekMessages(1)).rejects.toMatchObject(closed);
    await expect(receiver.receiveDeferredMessages(1n)).rejects.toMatchObject(closed);
    await expect(receiver.completeMessage(message!)).rejects.toMatchObject(closed);
    expect(() => receiver.subscribe({ processMessage() {}, processError() {} })).toThrow("closed");
    fixture.clock.advance(60_000);
    const again = fixture.client.createReceiver("orders");
    expect(await again.receiveMessages(1)).toMatchObject([{ deliveryCount: 1 }]);
  });
});

describe("closing a client", () => {
  it("waits for all handlers, closes its senders and receivers and leaves the broker open", async () => {
    await using fixture = await createFixture();
    const sender = fixture.client.createSender("orders");
    await sender.sendMessages({ body: 1 });
    let finish = () => {};
    fixture.client.createReceiver("orders").subscribe({
      processMessage: () => new Promise<void>((resolve) => (finish = resolve)),
      processError: () => {},
    });
    await quiet();
    const closing = fixture.client.close();
    await quiet();
    finish();
    await closing;
    expect(fixture.client.isClosed).toBe(true);
    expect(sender.isClosed).toBe(true);
    expect(() => fixture.client.createSender("orders")).toThrow("closed");
    expect(() => fixture.client.createReceiver("orders")).toThrow("closed");
    expect(await fixture.broker.receiver("orders").peek(1)).toEqual([]);
  });

  it("does not close its transport, which other clients use", async () => {
    await using fixture = await createFixture();
    const other = fixture.clientWith({});
    const receiver = other.createReceiver("orders");
    const waiting = receiver.receiveMessages(1);
    await fixture.client.close();
    await other.createSender("orders").sendMessages({ body: 1 });
    expect(await waiting).toMatchObject([{ body: 1 }]);
    const later = fixture.clientWith({});
    await later.createSender("orders").sendMessages({ body: 2 });
    expect(await receiver.receiveMessages(1)).toMatchObject([{ body: 2 }]);
  });

  it("is possible after its transport was closed, and its requests still time out", async () => {
    await using fixture = await createFixture();
    await fixture.broker.createQueue("replies");
    const requester = fixture.client.createRequester("replies", { timeoutInMs: 1_000 });
    const request = requester.request("orders", { body: 1 });
    const late = expect(request).rejects.toMatchObject({ code: "timeout" });
    await quiet();
    await fixture.transport.close();
    fixture.clock.advance(1_000);
    await late;
    const again = requester.request("orders", { body: 2 });
    await expect(again).rejects.toMatchObject({ code: "closed" });
  });

  it("rejects pending session accepts with closed, and locks no session", async () => {
    await using fixture = await createFixture();
    await fixture.broker.createQueue("carts", { requiresSession: true });
    const aborting = new AbortController();
    const waits = [
      fixture.client.acceptNextSession("carts"),
      fixture.client.acceptNextSession("carts", { abortSignal: aborting.signal }),
    ];
    const subscription = fixture.client.subscribeSessions("carts", {
      processMessage() {},
      processError() {},
    });
    await Promise.all([
      ...waits.map((wait) => expect(wait).rejects.toMatchObject({ code: "closed" })),
      fixture.client.close(),
    ]);
    const other = fixture.clientWith({});
    await other.createSender("carts").sendMessages({ sessionId: "a", body: 1 });
    expect(await other.acceptNextSession("carts", { maxWaitTimeInMs: 0 })).toMatchObject({ sessionId: "a" });
    await subscription.close();
  });

  it("locks no session for invalid options", async () => {
    await using fixture = await createFixture();
    await fixture.broker.createQueue("carts", { requiresSession: true });
    const accepting = fixture.client.acceptSession("carts", "a", { maxAutoLockRenewalDurationInMs: -1 });
    await expect(accepting).rejects.toThrow(TypeError);
    expect(await fixture.client.acceptSession("carts", "a")).toMatchObject({ sessionId: "a" });
  });

  it("releases a session whose handlers hang, after the close timeout", async () => {
    await using fixture = await createFixture();
    await fixture.broker.createQueue("carts", { requiresSession: true });
    await fixture.client.createSender("carts").sendMessages({ sessionId: "a", body: 1 });
    const handled: unknown[] = [];
    fixture.client.subscribeSessions(
      "carts",
      {
        processMessage: ({ body }) => void handled.push(body),
        sessionClosing: () => new Promise(() => {}),
        processError() {},
      },
      { closeTimeoutInMs: 1_000 },
    );
    await until(() => handled.length === 1);
    const closing = fixture.client.close();
    await quiet();
    fixture.clock.advance(1_000);
    await closing;
    const other = fixture.clientWith({});
    expect(await other.acceptSession("carts", "a")).toMatchObject({ sessionId: "a" });
  });

  it("passes on messages that could not be quarantined before", async () => {
    let fail = (_: Error) => {};
    const format = reading(() => new Promise((_, reject) => (fail = reject)));
    const client = {
      quarantineQueue: "quarantine",
      additionalDeserializers: [format],
      attemptTimeoutInMs: 60_000,
    };
    await using fixture = await createFixture({ client });
    await fixture.client.createSender("orders").sendEncodedMessages(custom("late"));
    fixture.client
      .createReceiver("orders", { receiveMode: "receiveAndDelete" })
      .subscribe({ processMessage() {}, processError() {} }, { closeTimeoutInMs: 1_000 });
    await quiet();
    const closing = fixture.client.close();
    await quiet();
    fixture.clock.advance(1_000);
    await closing;
    fail(decodeFailure("malformed", "This is nothing."));
    await until(() => fixture.events.length === 1);
    expect(fixture.events).toMatchObject([
      { message: { messageId: "late" }, disposition: "handedOver", settlementError: { code: "closed" } },
    ]);
    expect(await fixture.broker.receiver("quarantine").peek(1)).toEqual([]);
  });

  it("ends a call of listSessions", async () => {
    await using fixture = await createFixture();
    await fixture.broker.createQueue("carts", { requiresSession: true });
    const ids = Array.from({ length: 101 }, (_, i) => `s${i}`);
    await fixture.client.createSender("carts").sendMessages(ids.map((sessionId) => ({ sessionId, body: 1 })));
    const listed = (async () => {
      for await (const _ of fixture.client.listSessions("carts")) await fixture.client.close();
    })();
    await expect(listed).rejects.toMatchObject({ code: "closed" });
  });
});

describe("no message is lost", () => {
  it("with any handlers, locks and closings: good messages are handled, undeserializable ones are dead-lettered", async () => {
    await fc.assert(
      fc.asyncProperty(histories, async ({ messages, steps, maxConcurrentCalls }) => {
        const registry = { isUp: true };
        await using fixture = await createFixture({
          queue: { maxDeliveryCount: 1_000 },
          client: { additionalDeserializers: [registryBound(registry)] },
        });
        const handled = new Set<unknown>();
        const pending: { settle: (outcome: Outcome) => void }[] = [];
        const locked = new Set<string>();
        const open = () => {
          const receiver = fixture.client.createReceiver("orders");
          receiver.subscribe(
            {
              async processMessage(message) {
                handled.add(message.messageId);
                locked.add(message.lockToken!);
                const outcome = await new Promise<Outcome>((settle) => pending.push({ settle }));
                if (outcome === "throw") throw new Error("failed");
                if (outcome === "abandon") await receiver.abandonMessage(message);
                if (outcome === "complete") await receiver.completeMessage(message);
              },
              processError() {},
            },
            { maxConcurrentCalls },
          );
          return receiver;
        };
        let receiver = open();
        await fixture.client.createSender("orders").sendEncodedMessages(
          messages.map((kind, i) => {
            if (kind === "poison") return poison(`${kind}-${i}`);
            return kind === "custom" ? custom(`${kind}-${i}`) : poison(`${kind}-${i}`, "{}");
          }),
        );
        for (const step of steps) {
          await quiet();
          if (step === "lose-lock")
            for (const token of locked) tryTo(() => fixture.broker.faults.loseLock("orders", token));
          else if (step === "outage") registry.isUp = !registry.isUp;
          else if (step === "advance") fixture.clock.advance(20_000);
          else if (step === "close") {
            const closing = receiver.close();
            for (const { settle } of pending.splice(0)) settle("throw");
            await closing;
            receiver = open();
          } else pending.shift()?.settle(step);
        }
        registry.isUp = true;
        // Turn by turn, because undeserializable bodies are hashed in another thread, while the clock advances slowly. A fixed number of turns is not enough.
        for (let i = 0; !(await isEmpty(fixture)); i++) {
          for (const { settle } of pending.splice(0)) settle("succeed");
          if (i % 20 === 0) fixture.clock.advance(5_000);
          await quiet();
        }
        const names = messages.map((kind, i) => `${kind}-${i}`);
        const isFaulty = (name: string) => name.startsWith("poison");
        expect([...handled].sort()).toEqual(names.filter((name) => !isFaulty(name)).sort());
        const dead = fixture.client.createReceiver("orders", { subQueueType: "deadLetter" });
        const deadIds = (await dead.peekMessages(50)).map(({ messageId }) => messageId);
        expect(deadIds.sort()).toEqual(names.filter(isFaulty).sort());
      }),
      { numRuns: 300 },
    );
  });
});

type Outcome = "succeed" | "throw" | "abandon" | "complete";

const outcomes = ["succeed", "throw", "abandon", "complete"] as const satisfies Outcome[];

const histories = fc.record({
  messages: fc.array(fc.constantFrom("good", "custom", "poison"), { minLength: 1, maxLength: 8 }),
  steps: fc.array(fc.constantFrom(...outcomes, "lose-lock", "outage", "advance", "close"), { maxLength: 20 }),
  maxConcurrentCalls: fc.integer({ min: 1, max: 4 }),
});

async function isEmpty(fixture: Awaited<ReturnType<typeof createFixture>>): Promise<boolean> {
  return (await fixture.broker.receiver("orders").peek(1)).length === 0;
}

/** A lock that is already lost cannot be lost again. */
function tryTo(act: () => void): void {
  try {
    act();
  } catch (error) {
    expect(error).toMatchObject({ code: "message-lock-lost" });
  }
}
