import type { UndeserializableEvent } from "@waybill/core";
import { describe, expect, it } from "vitest";
import { createFixture, custom, type Fixture, poison, quiet, registryBound } from "../../../test/fixture.js";
import { type ContextOptions, contextOf, receiveOpen } from "../../../test/receiver-context.js";
import { plainJson } from "../../plain-json.test-support.js";
import { isUnread, readDelivery } from "../delivery/read-delivery.js";
import { HeldForCalls } from "./held-for-calls.js";

describe("messages that a call could not read because something is unavailable", () => {
  it("are returned once they can be read, as many as a call asks for", async () => {
    await using fixture = await createFixture();
    const { held, state, hold, idsOf } = open(fixture);
    await send(fixture, ["a", "b", "c"]);
    await hold(3);
    expect(held.isEmpty).toBe(false);
    expect(await held.readAgain(3)).toEqual([]);
    state.isUp = true;
    expect(idsOf(await held.readAgain(2))).toEqual(["a", "b"]);
    expect(held.isEmpty).toBe(false);
    expect(idsOf(await held.readAgain(2))).toEqual(["c"]);
    expect([held.isEmpty, await held.readAgain(2)]).toEqual([true, []]);
  });

  it("are read again after delays that grow until one can be read", async () => {
    await using fixture = await createFixture();
    const { held, state, hold } = open(fixture);
    await send(fixture, ["a", "b"]);
    await hold(2);
    const delays = [held.delayMs];
    for (const isUp of [false, false, true]) {
      state.isUp = isUp;
      await held.readAgain(1);
      delays.push(held.delayMs);
    }
    expect(delays).toEqual([1_000, 2_000, 4_000, 1_000]);
  });

  it("are the reason with which calls reject", async () => {
    await using fixture = await createFixture();
    const { held, hold } = open(fixture);
    expect(held.error).toBeUndefined();
    await send(fixture, ["a", "b"]);
    await hold(2);
    expect(held.error).toMatchObject({ code: "unavailable", messageId: "a" });
  });

  it("are a hundred, or as many as the options say, before no more are received", async () => {
    await using fixture = await createFixture();
    const { held, hold } = open(fixture, { client: { unavailableBackoff: { maxHeldMessages: 2 } } });
    await send(fixture, ["a", "b"]);
    await hold(1);
    expect(held.isFull).toBe(false);
    await hold(1);
    expect(held.isFull).toBe(true);
  });

  it("stay locked while they are held, for as long as the receiver renews locks", async () => {
    await using fixture = await createFixture();
    const { held, state, hold } = open(fixture, { renewForMs: 100_000 });
    await send(fixture, ["a"]);
    await hold(1);
    await pass(fixture, 90_000);
    state.isUp = true;
    expect(await held.readAgain(1)).toHaveLength(1);
  });

  it("are not read again when their locks were lost: the broker delivers them again", async () => {
    await using fixture = await createFixture();
    const { held, state, hold } = open(fixture, { renewForMs: 0 });
    await send(fixture, ["a"]);
    await hold(1);
    await pass(fixture, 60_000);
    state.isUp = true;
    expect([await held.readAgain(1), held.isEmpty]).toEqual([[], true]);
  });

  it("are abandoned when the receiver closes", async () => {
    await using fixture = await createFixture();
    const { held, hold } = open(fixture);
    await send(fixture, ["a", "b"]);
    await hold(2);
    await held.close();
    expect(held.isEmpty).toBe(true);
    const again = await fixture.broker.receiver("orders").receive(2);
    expect(again.map(({ deliveryCount }) => deliveryCount)).toEqual([1, 1]);
  });

  it("are received by their numbers if they were received so, and otherwise are not", async () => {
    await using fixture = await createFixture();
    const { held, state, hold, idsOf, numberOf } = open(fixture);
    await send(fixture, ["a", "b", "c"]);
    await hold(2, true);
    await hold(1);
    const [a, c] = [numberOf("a"), numberOf("c")];
    // It is empty for calls that receive what comes next.
    const first = held.readDeferred([a, c, 99n]);
    expect([first.found, await first.messages]).toEqual([[a], []]);
    state.isUp = true;
    expect(idsOf(await held.readAgain(9))).toEqual(["c"]);
    expect(held.isEmpty).toBe(true);
    const second = held.readDeferred([a]);
    expect([second.found, idsOf(await second.messages)]).toEqual([[a], ["a"]]);
    expect(held.readDeferred([a]).found).toEqual([]);
  });
});

describe("messages that a call could not read because nothing was decoded yet", () => {
  it("are held up to the limit of the circuit breaker", async () => {
    await using fixture = await createFixture();
    const { held, hold } = open(fixture, {
      client: { circuitBreaker: { maxHeldMessages: 2, windowSize: 2 } },
    });
    await send(fixture, ["a", "b"], poison);
    await hold(1);
    expect([held.isFull, held.isEmpty]).toEqual([false, false]);
    expect(held.error).toMatchObject({ code: "deserialization-failed" });
    expect(held.error?.text).toContain("Nothing that waits can be read");
    await hold(1);
    expect(held.isFull).toBe(true);
    expect(await held.readAgain(2)).toEqual([]);
    expect(held.isFull).toBe(true);
  });

  it("are dead-lettered, and reported, once others can be read behind them", async () => {
    await using fixture = await createFixture();
    const { held, hold, settled } = open(fixture, {
      client: { circuitBreaker: { maxHeldMessages: 2, windowSize: 2 } },
    });
    await send(fixture, ["a", "b"], poison);
    await hold(2);
    await send(fixture, ["free"], (messageId) => ({ messageId, body: {} }));
    expect(await held.readAgain(2)).toEqual([]);
    expect(settled).toEqual([
      ["a", "deadLettered"],
      ["b", "deadLettered"],
    ]);
    expect(held.isEmpty).toBe(true);
  });

  it("stay where receiving pauses instead", async () => {
    await using fixture = await createFixture();
    const { held, hold, settled } = open(fixture, {
      client: { circuitBreaker: { maxHeldMessages: 2, windowSize: 2, whenFull: "pause" } },
    });
    await send(fixture, ["a", "b"], poison);
    await hold(2);
    await send(fixture, ["free"], (messageId) => ({ messageId, body: {} }));
    await held.readAgain(2);
    expect([settled, held.isFull]).toEqual([[], true]);
  });

  it("are dead-lettered at once where there is no circuit breaker", async () => {
    await using fixture = await createFixture();
    const { hold, settled } = open(fixture, { client: { circuitBreaker: false } });
    await send(fixture, ["a"], poison);
    await hold(1);
    expect(settled).toEqual([["a", "deadLettered"]]);
  });
});

describe("unavailable messages beyond the limit", () => {
  it("are deferred while others can be read behind them, and come back when they can be read", async () => {
    await using fixture = await createFixture();
    const { held, state, hold, settled, idsOf } = open(fixture, {
      client: { unavailableBackoff: { maxHeldMessages: 2 } },
    });
    await send(fixture, ["a", "b"]);
    await hold(2);
    await send(fixture, ["free"], (messageId) => ({ messageId, body: {} }));
    expect(await held.readAgain(2)).toEqual([]);
    expect(settled).toEqual([
      ["a", "deferred"],
      ["b", "deferred"],
    ]);
    // They are looked at again before it is empty.
    expect([held.isFull, held.isEmpty]).toEqual([false, false]);
    state.isUp = true;
    expect(idsOf(await held.readAgain(2))).toEqual(["a", "b"]);
    expect(held.isEmpty).toBe(false);
  });

  it("are looked at again at growing intervals while they cannot be read", async () => {
    await using fixture = await createFixture();
    const { held, hold, context } = open(fixture, { client: { unavailableBackoff: { maxHeldMessages: 1 } } });
    await send(fixture, ["a"]);
    await hold(1);
    await send(fixture, ["free"], (messageId) => ({ messageId, body: {} }));
    await held.readAgain(1);
    const peeks: unknown[] = [];
    const peek = context.receiver.peek.bind(context.receiver);
    context.receiver.peek = (options) => {
      peeks.push(options.fromSequenceNumber);
      return peek(options);
    };
    // At once, two seconds later, and after four.
    for (const waitMs of [0, 0, 1_999, 1, 3_999, 1]) {
      fixture.clock.advance(waitMs);
      await held.readAgain(1);
    }
    expect(peeks).toHaveLength(3);
    expect(held.isEmpty).toBe(false);
  });
});

describe("messages that turn out to be undeserializable when they are read again", () => {
  const broken = (messageId: string) => ({ ...custom(messageId), body: Uint8Array.of(0xff) });
  const client = { circuitBreaker: false };

  it("are dead-lettered and reported, and the others are returned", async () => {
    await using fixture = await createFixture();
    const { held, state, hold, settled, idsOf } = open(fixture, { client });
    await send(fixture, ["a"], broken);
    await send(fixture, ["b"]);
    await hold(2);
    state.isUp = true;
    expect(idsOf(await held.readAgain(2))).toEqual(["b"]);
    expect([settled, held.isEmpty]).toEqual([[["a", "deadLettered"]], true]);
  });

  it.each([
    [false, [["a", "deadLettered"]], ["b"], true],
    [true, [["a", "blocked"]], [], false],
  ] as const)(
    "let those behind them in a session pass, unless it stops there: %s",
    async (isBlocking, events, ids, isEmpty) => {
      await using fixture = await createFixture();
      await fixture.broker.createQueue("carts", { requiresSession: true });
      const { held, state, hold, settled, idsOf } = await openSession(fixture, { client, isBlocking });
      await send(fixture, ["a"], (id) => ({ ...broken(id), sessionId: "ada" }), "carts");
      await send(fixture, ["b"], (id) => ({ ...custom(id), sessionId: "ada" }), "carts");
      await hold(2);
      state.isUp = true;
      expect(idsOf(await held.readAgain(2))).toEqual(ids);
      expect([settled, held.isEmpty]).toEqual([events, isEmpty]);
    },
  );
});

describe("messages of a session that a call could not read", () => {
  it("stop those behind them, until they can be read in order", async () => {
    await using fixture = await createFixture();
    await fixture.broker.createQueue("carts", { requiresSession: true });
    const { held, state, hold, idsOf } = await openSession(fixture);
    await send(fixture, ["a", "b", "c"], (id) => ({ ...custom(id), sessionId: "ada" }), "carts");
    await hold(3);
    expect([held.isFull, await held.readAgain(3), held.isEmpty]).toEqual([true, [], false]);
    // The first is what the session waits for.
    expect(held.error).toMatchObject({ messageId: "a" });
    state.isUp = true;
    expect(idsOf(await held.readAgain(2))).toEqual(["a", "b"]);
    expect(held.isFull).toBe(true);
    expect(idsOf(await held.readAgain(2))).toEqual(["c"]);
    expect([held.isFull, held.isEmpty]).toEqual([false, true]);
  });

  it("are released with the session: their delivery count does not grow", async () => {
    await using fixture = await createFixture();
    await fixture.broker.createQueue("carts", { requiresSession: true });
    const { held, hold, context } = await openSession(fixture);
    await send(fixture, ["a"], (id) => ({ ...custom(id), sessionId: "ada" }), "carts");
    await hold(1);
    await held.close();
    await context.receiver.close();
    const again = await fixture.transport.acceptSession({ queue: "carts" }, "ada", sessionOptions);
    const [message] = await again.receive({ maxMessages: 1, maxWaitTimeInMs: 0 });
    expect(message?.deliveryCount).toBe(0);
  });
});

const sessionOptions = { receiveMode: "peekLock", maxWaitTimeInMs: 0 } as const;

type Settings = Omit<ContextOptions, "client"> & { readonly client?: object };

/** Messages held for calls, and a registry that does not answer yet. */
function open(fixture: Fixture, { client, ...options }: Settings = {}) {
  const state = { isUp: false };
  const serializers = { serializer: plainJson, additionalDeserializers: [registryBound(state)] };
  const context = contextOf(fixture, { ...options, client: { ...serializers, ...client } });
  const settled: unknown[] = [];
  const onSettled = ({ message, disposition }: UndeserializableEvent) =>
    void settled.push([message.messageId, disposition]);
  const held = new HeldForCalls(context, onSettled);
  const numbers = new Map<unknown, bigint>();
  /** Receives so many, reads them, and holds those that cannot be read, as a call does. */
  const hold = async (count: number, isDeferred = false) => {
    for (const message of await receiveOpen(context, count)) {
      const { delivered, delivery } = message;
      numbers.set(delivered.messageId, delivered.sequenceNumber);
      const result = await readDelivery(context, delivered, delivery, held.decide);
      if (isUnread(result) && result.disposition === "held")
        held.add({ ...message, event: result, isDeferred });
      else if (isUnread(result)) onSettled(result);
    }
  };
  const idsOf = (messages: readonly { readonly messageId?: unknown }[]) =>
    messages.map((each) => each.messageId);
  return { held, state, hold, settled, idsOf, context, numberOf: (id: string) => numbers.get(id) ?? 0n };
}

async function openSession(fixture: Fixture, settings: Settings = {}) {
  const address = { queue: "carts" };
  const session = await fixture.transport.acceptSession(address, "ada", sessionOptions);
  return open(fixture, { ...settings, address, session });
}

async function send(
  { transport }: Fixture,
  ids: readonly string[],
  create: (messageId: string) => object = custom,
  queue = "orders",
): Promise<void> {
  const encoder = new TextEncoder();
  const messages = ids
    .map((id) => create(id))
    .map((message) => {
      const { body } = message as { body: unknown };
      return body instanceof Uint8Array
        ? message
        : { ...message, contentType: "application/json", body: encoder.encode(JSON.stringify(body)) };
    });
  await transport.createSender(queue).send(messages as never);
}

async function pass({ clock }: Fixture, durationMs: number): Promise<void> {
  for (let passedMs = 0; passedMs < durationMs; passedMs += 5_000) {
    clock.advance(5_000);
    await quiet();
  }
}
