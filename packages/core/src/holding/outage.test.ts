import type { ClaimCheckStore, EncryptionKeyProvider, WaybillClientOptions } from "@waybill/core";
import { unavailableFailure } from "@waybill/core/serializer";
import { json } from "@waybill/serializer-json";
import { describe, expect, it } from "vitest";
import { createFixture, type Fixture, quiet, until } from "../../test/fixture.js";

/** The unavailable dependency: the options of a client that needs it. */
const sources = { store, keys, registry };

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

  it("of a dependency of some messages does not delay others, until too many wait", async () => {
    const source = registry();
    await using fixture = await createFixture({
      client: { ...source.options, unavailableBackoff: { maxHeldMessages: 5 } },
    });
    const sender = fixture.clientWith({}).createSender("orders");
    source.state.isUp = false;
    const send = (subject: string, count: number) =>
      sender.sendMessages(Array.from({ length: count }, (_, n) => ({ subject, body: { n } })));
    let handled = 0;
    fixture.client.createReceiver("orders").subscribe(
      {
        processMessage() {
          handled += 1;
        },
        processError() {},
      },
      { maxConcurrentCalls: 2 },
    );
    for (let i = 0; i < 6; i += 1) {
      await send("needs", 1);
      await send("free", 10);
    }
    await until(() => handled === 60);
    await send("needs", 20);
    await send("free", 10);
    await quiet();
    // Five are held, in addition to the two that the calls returned.
    expect(handled).toBe(60);
    expect((await fixture.broker.receiver("orders").peek(50)).length).toBe(36);
    source.state.isUp = true;
    await until(() => {
      fixture.clock.advance(1_000);
      return handled === 60 + 36;
    });
    expect(fixture.events.every(({ disposition }) => disposition === "held")).toBe(true);
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
  await pass(fixture, outageSeconds, lockSeconds / 5);
  state.isUp = true;
  // Slowly, because bodies are hashed and decrypted in other threads.
  await until(() => {
    fixture.clock.advance(50);
    return counts.length >= messageCount;
  });
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

async function pass({ clock }: Fixture, seconds: number, stepSeconds: number): Promise<void> {
  for (let passed = 0; passed < seconds; passed += stepSeconds) {
    clock.advance(stepSeconds * 1_000);
    await quiet();
  }
}

interface Source {
  /** With `onlyFor`, it responds only for this number. */
  readonly state: { isUp: boolean; onlyFor?: number | undefined };
  readonly options: Partial<WaybillClientOptions>;
}

function store(): Source {
  const state = { isUp: true };
  const bodies = new Map<string, Uint8Array>();
  const checked = <T>(work: () => T): Promise<T> =>
    state.isUp ? Promise.resolve(work()) : Promise.reject(new Error("The store is unreachable."));
  const claims: ClaimCheckStore = {
    put: (key, bytes) => checked(() => void bodies.set(key, bytes.slice())),
    get: (key) => checked(() => bodies.get(key)),
    delete: (key) => checked(() => void bodies.delete(key)),
  };
  return { state, options: { claimCheck: { store: claims, minBytes: 1 } } as Partial<WaybillClientOptions> };
}

function keys(): Source {
  const state = { isUp: true };
  const key = new Uint8Array(32);
  let asked = 0;
  const provider: EncryptionKeyProvider = {
    // Another key each time, so that none is cached.
    currentKey: () => ({ id: `k${++asked}`, key }),
    async findKey() {
      if (!state.isUp) throw new Error("The vault is unreachable.");
      return key;
    },
  };
  return { state, options: { encryption: { keys: provider } } as Partial<WaybillClientOptions> };
}

function registry(): Source {
  const state: Source["state"] = { isUp: true };
  const sound = json();
  const serializer: typeof sound = {
    ...sound,
    deserialize(bytes, context) {
      const value = sound.deserialize(bytes, context) as { readonly n: number };
      const isUp = state.isUp && (state.onlyFor === undefined || state.onlyFor === value.n);
      if (!isUp && context.messageType === "needs") throw unavailableFailure("The registry is unreachable.");
      return value;
    },
  };
  return { state, options: { serializer } };
}
