import type { DeliveredMessage, TransportReceiver } from "@waybill/core/transport";
import { describe, expect, it, vi } from "vitest";
import type { Performative } from "../amqp-frames.test-support.js";
import { openLossyFixture } from "../lossy-fixture.test-support.js";
import { until } from "../until.test-support.js";

type Fixture = Awaited<ReturnType<typeof openLossyFixture>>;

/** Locks that no test outlasts: a message that is delivered to nobody stays so. */
const queue = { lockDurationMs: 300_000 };

/** So many deliveries after an unsettled one, a link is replaced. */
const beforeReplacement = 1_490;
const more = 60;

describe("a subscription whose link is replaced while one message stays unsettled", () => {
  it("waits for the answers to what was settled on the link", async () => {
    await using fixture = await openLossyFixture(queue);
    const { network } = fixture;
    const { receiver, seen, outcomes, gate } = subscribed(fixture);
    await send(fixture, beforeReplacement);
    await until(() => seen.length === beforeReplacement && total(fixture) === 1);
    const attached = network.sent("attach");
    network.hold((performative) => performative === "disposition");
    await send(fixture, more);
    await until(() => seen.length === beforeReplacement + more && total(fixture) === 1);
    await until(() => network.sent("attach") > attached);
    await roundTrip(receiver);
    expect(network.sent("detach")).toBe(0);
    network.release();
    expect(new Set(await Promise.all(outcomes))).toEqual(new Set(["completed"]));
    await until(() => network.sent("detach") > 0);
    gate.open();
    await until(() => total(fixture) === 0);
    expect(await Promise.all(outcomes)).toHaveLength(beforeReplacement + more);
    await receiver.close();
  });

  it("hands over what was still on its way on the link", async () => {
    await using fixture = await openLossyFixture(queue);
    const { network } = fixture;
    const { receiver, seen, gate } = subscribed(fixture);
    await send(fixture, beforeReplacement);
    await until(() => seen.length === beforeReplacement && total(fixture) === 1);
    // Opens the link for requests, which needs a flow in answer.
    await roundTrip(receiver);
    const [flows, requests] = [network.sent("flow"), network.sent("transfer")];
    let passing = 12;
    network.hold((performative) => performative === "flow" || (performative === "transfer" && --passing < 0));
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      await send(fixture, more);
      await until(() => seen.length === beforeReplacement + 12);
      await until(() => network.sent("flow") > flows);
      // The SDK closes a link that is not drained within 200 ms.
      vi.advanceTimersByTime(400);
    } finally {
      vi.useRealTimers();
    }
    // What was to be sent before a request has been sent when the request is.
    const answered = roundTrip(receiver);
    await until(() => network.sent("transfer") > requests);
    expect(network.sent("detach")).toBe(0);
    network.release();
    await answered;
    await until(() => seen.length === beforeReplacement + more);
    gate.open();
    await until(() => total(fixture) === 0);
    expect(Math.max(...seen.map(({ deliveryCount }) => deliveryCount))).toBe(0);
    await receiver.close();
  });
});

describe("receive calls whose link is replaced while one message stays unsettled", () => {
  it("wait for the answers to what was settled on the link", async () => {
    await using fixture = await openLossyFixture(queue);
    const { network } = fixture;
    const receiver = fixture.transport.createReceiver({ queue: "orders" }, "peekLock");
    await send(fixture, beforeReplacement + more);
    const [kept] = await receiver.receive({ maxMessages: 1, maxWaitTimeInMs: 60_000 });
    for (let count = 1; count < beforeReplacement; )
      count += (await complete(receiver, await receive(receiver, beforeReplacement - count))).length;
    const last = await receive(receiver, 5);
    network.hold((performative) => performative === "disposition");
    const completing = complete(receiver, last);
    await until(() => total(fixture) === 1 + more - last.length);
    // The last of these uses up the link.
    const rest: DeliveredMessage[] = [];
    while (rest.length < more - last.length)
      rest.push(...(await receive(receiver, more - last.length - rest.length)));
    await roundTrip(receiver);
    expect(network.sent("detach")).toBe(0);
    network.release();
    await completing;
    await complete(receiver, rest);
    await receiver.complete(kept!.settlement!);
    expect(total(fixture)).toBe(0);
  });
});

describe("a receiver that is closed while settlements wait for their answers", () => {
  it("closes after the answers", async () => {
    await using fixture = await openLossyFixture(queue);
    const receiver = fixture.transport.createReceiver({ queue: "orders" }, "peekLock");
    await send(fixture, 1);
    const messages = await receive(receiver, 1);
    fixture.network.hold((performative) => performative === "disposition");
    const completing = complete(receiver, messages);
    await until(() => total(fixture) === 0);
    const closing = receiver.close();
    await roundTrip(fixture.transport.createReceiver({ queue: "orders" }, "peekLock"));
    expect(fixture.network.sent("detach")).toBe(0);
    fixture.network.release();
    await completing;
    await closing;
  });
});

describe("a settlement whose link is lost before its answer arrives", () => {
  const settle: Record<string, (receiver: TransportReceiver, handle: object) => Promise<void>> = {
    "a completed": (receiver, handle) => receiver.complete(handle),
    "an abandoned": (receiver, handle) => receiver.abandon(handle, { propertiesToModify: { note: "a" } }),
    "a deferred": (receiver, handle) => receiver.defer(handle),
    "a dead-lettered": (receiver, handle) => receiver.deadLetter(handle, { deadLetterReason: "a" }),
  };
  it.each(Object.keys(settle))("succeeds, because the queue shows %s message", async (name) => {
    await using fixture = await openLossyFixture(queue);
    const receiver = fixture.transport.createReceiver({ queue: "orders" }, "peekLock");
    await send(fixture, 1);
    const [message] = await receive(receiver, 1);
    fixture.network.hold(isAnswer);
    const settling = settle[name]!(receiver, message!.settlement!);
    await until(() => lockedCount(fixture) === 0);
    fixture.network.hold(() => false);
    fixture.network.drop();
    await settling;
  });

  it("fails with message-lock-lost if the queue shows that it did not take effect", async () => {
    await using fixture = await openLossyFixture(queue);
    const receiver = fixture.transport.createReceiver({ queue: "orders" }, "peekLock");
    await send(fixture, 1);
    const [message] = await receive(receiver, 1);
    // The broker gives the message up on its own.
    await fixture.broker.receiver("orders").release(message!.lockToken!);
    fixture.network.hold(isAnswer);
    const settling = receiver.complete(message!.settlement!);
    const ended = expect(settling).rejects.toMatchObject({ code: "message-lock-lost" });
    await new Promise((resolve) => setImmediate(resolve));
    fixture.network.hold(() => false);
    fixture.network.drop();
    await ended;
    expect(total(fixture)).toBe(1);
  });
});

function isAnswer(performative: Performative): boolean {
  return performative === "disposition";
}

/** Subscribes with a handler that completes all messages without waiting; the first when its gate is opened. */
function subscribed(fixture: Fixture) {
  const receiver = fixture.transport.createReceiver({ queue: "orders" }, "peekLock");
  const seen: DeliveredMessage[] = [];
  const outcomes: Promise<unknown>[] = [];
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  receiver.subscribe(
    {
      async onMessage(message) {
        seen.push(message);
        if (seen.length === 1) await opened;
        const completing = receiver.complete(message.settlement!);
        outcomes.push(
          completing.then(
            () => "completed",
            (error: unknown) => error,
          ),
        );
      },
      onError() {},
    },
    { maxConcurrentCalls: 50 },
  );
  return { receiver, seen, outcomes, gate: { open: () => open() } };
}

function receive(receiver: TransportReceiver, maxMessages: number): Promise<DeliveredMessage[]> {
  return receiver.receive({ maxMessages, maxWaitTimeInMs: 60_000 });
}

async function complete(receiver: TransportReceiver, messages: DeliveredMessage[]) {
  await Promise.all(messages.map(({ settlement }) => receiver.complete(settlement!)));
  return messages;
}

/** Two requests over the connection, so that what was to be sent before has been sent. */
async function roundTrip(receiver: TransportReceiver): Promise<void> {
  for (let request = 0; request < 2; request++) await receiver.peek({ maxMessages: 1 });
}

async function send({ broker }: Fixture, count: number): Promise<void> {
  const message = { body: { section: "data", bytes: new Uint8Array() } } as const;
  await broker.sender("orders").sendBatch(Array.from({ length: count }, () => message));
}

function total({ broker }: Fixture): number {
  return broker.getEntity("orders").totalMessageCount;
}

function lockedCount({ broker }: Fixture): number {
  return broker.snapshot().stores.flatMap(({ messages }) => messages.filter(({ isLocked }) => isLocked))
    .length;
}
