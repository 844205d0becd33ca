import { unavailableFailure } from "@waybill/core/serializer";
import { describe, expect, it } from "vitest";
import { createFixture, custom, type Fixture, quiet, reading, until } from "../../../test/fixture.js";
import { followThreadWork } from "../../../test/thread-work.js";
import { registry, sources } from "./unavailable-sources.test-support.js";

/** How messages are received meanwhile. */
const consumers = {
  processor,
  calls,
  sessions,
  "a session's handler": sessionHandler,
  "a session's calls": sessionCalls,
};

const messageCount = 100;

// outage × lock × deliveries: each with 100 waiting messages; none may be dead-lettered, and each is handled at its first delivery.
const rows = [
  { outage: 60, lock: 5, deliveries: 1 },
  { outage: 180, lock: 30, deliveries: 3 },
  { outage: 600, lock: 30, deliveries: 1 },
  { outage: 600, lock: 300, deliveries: 10 },
].flatMap((row) =>
  Object.keys(consumers).map((consumer) => ({ ...row, consumer: consumer as keyof typeof consumers })),
);

describe("an outage dead-letters nothing", () => {
  it.each(rows)(
    "of $outage s, with locks of $lock s and $deliveries deliveries, for $consumer",
    async ({ outage, lock, deliveries, consumer }) => {
      expect(await runOutage("registry", consumer, outage, lock, deliveries)).toEqual(withoutLoss);
    },
  );

  it.each(["store", "keys"] as const)("of the $0", async (source) => {
    expect(await runOutage(source, "processor", 180, 30, 3)).toEqual(withoutLoss);
    expect(await runOutage(source, "sessions", 180, 30, 3)).toEqual(withoutLoss);
  });
});

describe("messages that are held", () => {
  it("are read again while the handler of one of them is slow, and lose no lock", async () => {
    const source = registry();
    await using fixture = await createFixture({ queue: { lockDurationMs: 30_000 }, client: source.options });
    const sender = fixture.clientWith({}).createSender("orders");
    await sender.sendMessages([1, 2, 3].map((n) => ({ subject: "needs", body: { n } })));
    source.state.isUp = false;
    const seen: (readonly [number, number])[] = [];
    const waiting: (() => void)[] = [];
    fixture.client.createReceiver("orders").subscribe<{ n: number }>(
      {
        async processMessage({ body, deliveryCount }) {
          seen.push([body.n, deliveryCount]);
          await new Promise<void>((resolve) => waiting.push(resolve));
        },
        processError() {},
      },
      { maxConcurrentCalls: 1, maxAutoLockRenewalDurationInMs: 3_600_000 },
    );
    await until(() => fixture.events.length === 3);
    source.state.isUp = true;
    await pass(fixture, 5, 1);
    expect(seen).toEqual([[1, 0]]);
    // Much longer than a lock is renewed for a handler by default.
    await pass(fixture, 1_200, 5);
    for (const n of [2, 3]) {
      waiting.shift()?.();
      await until(() => seen.length === n);
    }
    waiting.shift()?.();
    await quiet();
    expect(seen).toEqual([
      [1, 0],
      [2, 0],
      [3, 0],
    ]);
    expect(await fixture.broker.receiver("orders").peek(9)).toEqual([]);
  });

  it("are read again although another is being handled", async () => {
    const source = registry();
    await using fixture = await createFixture({ client: source.options });
    const sender = fixture.clientWith({}).createSender("orders");
    await sender.sendMessages([1, 2].map((n) => ({ subject: "needs", body: { n } })));
    source.state.isUp = false;
    source.state.onlyFor = 1;
    const seen: number[] = [];
    fixture.client.createReceiver("orders").subscribe<{ n: number }>(
      {
        async processMessage({ body }) {
          seen.push(body.n);
          if (body.n === 1) await new Promise(() => {});
        },
        processError() {},
      },
      { maxConcurrentCalls: 2, closeTimeoutInMs: 1_000 },
    );
    await until(() => fixture.events.length === 2);
    source.state.isUp = true;
    await pass(fixture, 5, 1);
    expect(seen).toEqual([1]);
    source.state.onlyFor = undefined;
    await pass(fixture, 60, 1);
    expect(seen).toEqual([1, 2]);
    const closing = fixture.client.close();
    await pass(fixture, 5, 1);
    await closing;
  });

  it("keep no call slot while processError is slow", async () => {
    const source = registry();
    await using fixture = await createFixture({ client: source.options });
    const sender = fixture.clientWith({}).createSender("orders");
    await sender.sendMessages([{ subject: "needs", body: { n: 1 } }, { body: { n: 2 } }]);
    source.state.isUp = false;
    const handled: number[] = [];
    let respond: () => void = () => {};
    const subscription = fixture.client.createReceiver("orders").subscribe<{ n: number }>({
      processMessage: ({ body }) => void handled.push(body.n),
      processError: () => new Promise<void>((resolve) => (respond = resolve)),
    });
    await until(() => handled.length === 1);
    expect(handled).toEqual([2]);
    respond();
    await subscription.close();
  });

  it("are abandoned in time if a handler takes longer than the close timeout", async () => {
    const source = registry();
    await using fixture = await createFixture({ client: source.options });
    const sender = fixture.clientWith({}).createSender("orders");
    await sender.sendMessages([1, 2, 3].map((n) => ({ subject: "needs", body: { n } })));
    source.state.onlyFor = 1;
    let isHandling = false;
    const subscription = fixture.client.createReceiver("orders").subscribe(
      {
        async processMessage() {
          isHandling = true;
          await new Promise(() => {});
        },
        processError() {},
      },
      { maxConcurrentCalls: 3, closeTimeoutInMs: 1_000 },
    );
    await until(() => isHandling && fixture.events.length === 2);
    const closing = subscription.close();
    await pass(fixture, 1, 0.1);
    await closing;
    const left = await fixture.broker.receiver("orders").receive(9, { maxWaitMs: 0 });
    expect(left.map(({ deliveryCount }) => deliveryCount)).toEqual([1, 1, 1]);
  });

  it("are as many as the limit says beside those in the slots, in whatever order they are read again", async () => {
    let reads: (() => void)[] = [];
    const serializer = reading(async () => {
      await new Promise<void>((resolve) => reads.push(resolve));
      throw unavailableFailure("The registry does not respond.");
    });
    await using fixture = await createFixture({
      client: { serializer, unavailableBackoff: { maxHeldMessages: 2 } },
    });
    await fixture.client
      .createSender("orders")
      .sendEncodedMessages([..."abcdefghij"].map((id) => custom(id)));
    fixture.client
      .createReceiver("orders")
      .subscribe({ processMessage() {}, processError() {} }, { maxConcurrentCalls: 3 });
    const endReads = async () => {
      while (reads.length > 0) {
        // The last one is the first to come back.
        const [...begun] = reads;
        reads = [];
        for (const end of begun.reverse()) end();
        await quiet();
      }
    };
    await quiet();
    await endReads();
    for (let round = 0; round < 5; round++) {
      fixture.clock.advance(60_000);
      await quiet();
      await endReads();
    }
    expect(new Set(fixture.events.map(({ message }) => message.messageId)).size).toBe(5);
    const closing = fixture.client.close();
    await quiet();
    await endReads();
    await closing;
  });

  it("keep those behind them in a session from being received", async () => {
    const source = registry();
    await using fixture = await createFixture({ queue: { requiresSession: true }, client: source.options });
    const sender = fixture.clientWith({}).createSender("orders");
    await sender.sendMessages({ sessionId: "s", subject: "needs", body: { n: 1 } });
    await sender.sendMessages({ sessionId: "s", body: { n: 2 } });
    source.state.isUp = false;
    const session = await fixture.client.acceptSession("orders", "s");
    const receiveNow = () => session.receiveMessages(1, { maxWaitTimeInMs: 0 });
    for (let calls = 0; calls < 3; calls++)
      await expect(receiveNow()).rejects.toMatchObject({ code: "unavailable" });
    source.state.isUp = true;
    expect((await receiveNow()).map(({ body }) => body)).toEqual([{ n: 1 }]);
    expect((await receiveNow()).map(({ body }) => body)).toEqual([{ n: 2 }]);
  });

  it("are read again by a waiting call at growing intervals, which begin anew once one could be read", async () => {
    const state = { isUp: true };
    let reads: number[] = [];
    const serializer = reading((bytes) => {
      reads.push(fixture.clock.now());
      if (!state.isUp) throw unavailableFailure("The registry does not respond.");
      return bytes.length;
    });
    await using fixture = await createFixture({ client: { serializer } });
    const receiver = fixture.client.createReceiver("orders");
    for (let outage = 0; outage < 2; outage++) {
      await fixture.client.createSender("orders").sendEncodedMessages(custom("a"));
      state.isUp = false;
      reads = [];
      const startMs = fixture.clock.now();
      await expect(receiver.receiveMessages(1)).rejects.toMatchObject({ code: "unavailable" });
      const waiting = receiver.receiveMessages(1, { maxWaitTimeInMs: 20_000 }).catch(({ code }) => code);
      await pass(fixture, 20, 1);
      expect(await waiting).toBe("unavailable");
      expect(reads.map((ms) => (ms - startMs) / 1_000)).toEqual([0, 1, 3, 7, 15]);
      state.isUp = true;
      const [message] = await receiver.receiveMessages(1);
      await receiver.completeMessage(message!);
    }
  });

  it("do not delay the closing of a transport before its client", async () => {
    const source = registry();
    await using fixture = await createFixture({
      client: { ...source.options, unavailableBackoff: { maxHeldMessages: 1 } },
    });
    const sender = fixture.clientWith({}).createSender("orders");
    await sender.sendMessages([1, 2, 3].map((n) => ({ subject: "needs", body: { n } })));
    source.state.isUp = false;
    fixture.client
      .createReceiver("orders")
      .subscribe({ processMessage() {}, processError() {} }, { maxConcurrentCalls: 2 });
    await until(() => fixture.events.length === 3);
    await fixture.transport.close();
  });
});

const withoutLoss = { dead: 0, left: 0, handled: messageCount, lastDeliveryCount: 0 };

async function runOutage(
  source: keyof typeof sources,
  consumer: keyof typeof consumers,
  outageSeconds: number,
  lockSeconds: number,
  maxDeliveryCount: number,
) {
  const { state, options } = sources[source]();
  // Bodies are hashed and decrypted in other threads: the clock advances when they have done it.
  using threads = followThreadWork();
  const isSession = consumer !== "processor" && consumer !== "calls";
  await using fixture = await createFixture({
    queue: { lockDurationMs: lockSeconds * 1_000, maxDeliveryCount, requiresSession: isSession },
    client: options,
  });
  // One session for a receiver of one, many for a processor of many.
  const sessionId = (n: number) => (consumer === "sessions" ? `s${n % 20}` : "s");
  await fixture.client.createSender("orders").sendMessages(
    Array.from({ length: messageCount }, (_, n) => ({
      subject: "needs",
      body: { n },
      ...(isSession && { sessionId: sessionId(n) }),
    })),
  );
  state.isUp = false;
  const counts: number[] = [];
  const stop = await consumers[consumer](fixture, (deliveryCount) => counts.push(deliveryCount));
  await pass(fixture, outageSeconds, lockSeconds / 5, threads.ended);
  state.isUp = true;
  while (counts.length < messageCount) await pass(fixture, 0.5, 0.5, threads.ended);
  await stop();
  return {
    dead: (await fixture.broker.receiver("orders/$DeadLetterQueue").peek(200)).length,
    left: (await fixture.broker.receiver("orders").peek(200)).length,
    handled: counts.length,
    lastDeliveryCount: Math.max(...counts),
  };
}

type OnHandled = (deliveryCount: number) => void;
type Stop = () => Promise<unknown>;

async function processor({ client }: Fixture, onHandled: OnHandled): Promise<Stop> {
  const subscription = client
    .createReceiver("orders")
    .subscribe(
      { processMessage: ({ deliveryCount }) => onHandled(deliveryCount), processError() {} },
      { maxConcurrentCalls: 16, prefetchCount: 8 },
    );
  return () => subscription.close();
}

async function sessions({ client }: Fixture, onHandled: OnHandled): Promise<Stop> {
  const subscription = client.subscribeSessions(
    "orders",
    { processMessage: ({ deliveryCount }) => onHandled(deliveryCount), processError() {} },
    { maxConcurrentSessions: 4, maxBlockedSessions: 4 },
  );
  return () => subscription.close();
}

async function sessionHandler({ client }: Fixture, onHandled: OnHandled): Promise<Stop> {
  const session = await client.acceptSession("orders", "s");
  session.subscribe({ processMessage: ({ deliveryCount }) => onHandled(deliveryCount), processError() {} });
  return () => session.close();
}

async function calls({ client }: Fixture, onHandled: OnHandled): Promise<Stop> {
  return receiveAgainAndAgain(client.createReceiver("orders"), onHandled);
}

async function sessionCalls({ client }: Fixture, onHandled: OnHandled): Promise<Stop> {
  return receiveAgainAndAgain(await client.acceptSession("orders", "s"), onHandled);
}

function receiveAgainAndAgain(
  receiver: ReturnType<Fixture["client"]["createReceiver"]>,
  onHandled: OnHandled,
): Stop {
  let isStopped = false;
  const loop = (async () => {
    while (!isStopped) {
      const messages = await receiver.receiveMessages(8, { maxWaitTimeInMs: 20_000 }).catch(() => []);
      for (const message of messages) {
        onHandled(message.deliveryCount);
        await receiver.completeMessage(message);
      }
    }
  })();
  return async () => {
    isStopped = true;
    await receiver.close();
    await loop;
  };
}

async function pass(
  { clock }: Fixture,
  seconds: number,
  stepSeconds: number,
  settled: () => Promise<void> = quiet,
): Promise<void> {
  for (let passed = 0; passed < seconds; passed += stepSeconds) {
    clock.advance(stepSeconds * 1_000);
    await settled();
  }
}
