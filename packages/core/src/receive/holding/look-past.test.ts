import { setImmediate as turn } from "node:timers/promises";
import {
  createPipeline,
  type MessageSubscription,
  WaybillClient,
  type WaybillClientOptions,
} from "@waybill/core";
import { systemScheduler } from "@waybill/foundation";
import { json } from "@waybill/serializer-json";
import { localTransport } from "@waybill/transport-local";
import { describe, expect, it } from "vitest";
import { createFixture, type Fixture, until } from "../../../test/fixture.js";
import { LookAhead } from "../circuit-breaker/look-ahead.js";
import { LookPast } from "./look-past.js";
import { registry, type Source, sources } from "./unavailable-sources.test-support.js";

/** More than a processor holds, and more than its look-ahead reads at once. */
const unavailableCount = 230;
const goodCount = 20;

describe("messages behind many that cannot be read now", () => {
  it.each(["registry", "store", "keys"] as const)(
    "are handled, whatever the dependency: %s",
    async (name) => {
      const source = sources[name]();
      await using fixture = await createFixture({ client: source.options });
      const handled = await sendBoth(fixture, source);
      subscribe(fixture, handled);
      await advanceUntil(fixture, () => handled.good.size === goodCount);
      expect(handled.late.size).toBe(0);
      await recover(fixture, source, handled);
    },
  );

  it("are handled with the circuit breaker switched off", async () => {
    const source = registry();
    await using fixture = await createFixture({ client: { ...source.options, circuitBreaker: false } });
    const handled = await sendBoth(fixture, source);
    subscribe(fixture, handled);
    await advanceUntil(fixture, () => handled.good.size === goodCount);
    await recover(fixture, source, handled);
  });

  it("are handled while more of both kinds arrive, and only a hundred and those in the slots are locked", async () => {
    const source = registry();
    await using fixture = await createFixture({ client: source.options });
    const handled = await sendBoth(fixture, source);
    subscribe(fixture, handled);
    for (let round = 1; round < 6; round++) {
      await send(fixture, "needs", 30, `needs-${round}-`);
      await send(fixture, "free", 5, `free-${round}-`);
    }
    await advanceUntil(fixture, () => handled.good.size === goodCount + 25);
    const left = await fixture.broker.receiver("orders").peek(500);
    expect(left).toHaveLength(unavailableCount + 150);
    expect(left.filter(({ state }) => state !== "deferred").length).toBeLessThanOrEqual(102);
    source.state.isUp = true;
    await advanceUntil(fixture, () => handled.late.size === unavailableCount + 150);
  });

  it("are received by calls of receiveMessages", async () => {
    const source = registry();
    await using fixture = await createFixture({ client: source.options });
    const handled = await sendBoth(fixture, source);
    const receiver = fixture.client.createReceiver("orders");
    const receiveSome = async () => {
      const messages = await receiver.receiveMessages(10, { maxWaitTimeInMs: 100 }).catch(() => []);
      for (const message of messages) {
        count(handled, message.subject, message.messageId);
        await receiver.completeMessage(message);
      }
    };
    const receiveUntil = async (holds: () => boolean) => {
      let isReceiving = true;
      const loop = (async () => {
        while (isReceiving) await receiveSome();
      })();
      await advanceUntil(fixture, holds);
      isReceiving = false;
      fixture.clock.advance(60_000);
      await loop;
    };
    await receiveUntil(() => handled.good.size === goodCount);
    expect(handled.late.size).toBe(0);
    source.state.isUp = true;
    await receiveUntil(() => handled.late.size === unavailableCount);
    expect(deadLetters(fixture)).toBe(0);
  });

  it("are handled in receive-and-delete mode, where such messages go to the quarantine queue", async () => {
    const source = registry();
    await using fixture = await createFixture({
      client: { ...source.options, quarantineQueue: "quarantine" },
    });
    const handled = await sendBoth(fixture, source);
    subscribe(fixture, handled, { receiveMode: "receiveAndDelete" });
    await advanceUntil(fixture, () => handled.good.size === goodCount);
    await until(
      () =>
        (fixture.broker.getEntity("quarantine") as { activeMessageCount: number }).activeMessageCount ===
        unavailableCount,
    );
  });
});

describe("messages that were set aside because a dependency is unavailable", () => {
  it("are not lost when the subscription closes", async () => {
    const source = registry();
    await using fixture = await createFixture({ client: source.options });
    const handled = await sendBoth(fixture, source);
    const first = subscribe(fixture, handled);
    await advanceUntil(fixture, () => handled.good.size === goodCount);
    await first.close();
    subscribe(fixture, handled);
    await recover(fixture, source, handled);
  });

  it("are found by another process when theirs was killed", async () => {
    const source = registry();
    await using fixture = await createFixture({ client: source.options });
    const handled = await sendBoth(fixture, source);
    const killed = { good: new Set<unknown>(), late: new Set<unknown>() };
    subscribe(fixture, killed);
    await advanceUntil(fixture, () => killed.good.size === goodCount);
    // The process settles nothing any more: its transport is cut, and its locks expire.
    await fixture.transport.close();
    await using other = new WaybillClient(localTransport(fixture.broker), {
      serializer: json(),
      ...source.options,
    } as WaybillClientOptions);
    subscribe({ ...fixture, client: other }, handled);
    source.state.isUp = true;
    await advanceUntil(fixture, () => handled.late.size === unavailableCount);
    expect(deadLetters(fixture)).toBe(0);
  });

  it("come back although those that are held never do", async () => {
    const source = registry();
    source.state.onlyFrom = unavailableCount - 20;
    await using fixture = await createFixture({ client: source.options });
    const handled = await sendBoth(fixture, source);
    subscribe(fixture, handled);
    await advanceUntil(fixture, () => handled.good.size === goodCount);
    source.state.isUp = true;
    await advanceUntil(fixture, () => handled.late.size === 20);
  });

  it("are dead-lettered if they turn out to be undeserializable", async () => {
    const source = registry();
    await using fixture = await createFixture({ client: { ...source.options, circuitBreaker: false } });
    const handled = await sendBoth(fixture, source);
    subscribe(fixture, handled);
    await advanceUntil(fixture, () => handled.good.size === goodCount);
    source.state.isUp = true;
    source.state.isBroken = (n) => n % 2 === 1;
    await advanceUntil(fixture, () => handled.late.size === unavailableCount / 2);
    await advanceUntil(fixture, () => deadLetters(fixture) === unavailableCount / 2);
  });
});

describe("looking past what cannot be read", () => {
  it("begins anew once nothing is held any more: what was readable then may be gone", async () => {
    await using fixture = await createFixture();
    const { scheduler = systemScheduler } = fixture.transport;
    const receiver = fixture.transport.createReceiver({ queue: "orders" }, "peekLock");
    const pipeline = createPipeline({ serializer: json() });
    const lookAhead = new LookAhead(
      () => receiver,
      pipeline,
      scheduler,
      () => {},
    );
    const lookPast = new LookPast(
      { lookAhead, scheduler, breaker: undefined },
      { isRefilled: true, onAllowance: undefined, onError: (error) => expect.fail(String(error)) },
    );
    await send(fixture, "free", 1, "free-");
    expect([await lookPast.tryPass(0n), await lookPast.tryPass(0n)]).toEqual([true, true]);
    await fixture.broker.receiver("orders", { mode: "receiveAndDelete" }).receive();
    lookPast.reset();
    expect(await lookPast.tryPass(1n)).toBe(false);
  });
});

interface Handled {
  readonly good: Set<unknown>;
  readonly late: Set<unknown>;
}

/** Messages that need the dependency, which is down, and then others that do not. */
async function sendBoth(fixture: Fixture, source: Source): Promise<Handled> {
  source.state.isUp = true;
  await send(fixture, "needs", unavailableCount, "needs-", fixture.client);
  await send(fixture, "free", goodCount, "free-");
  source.state.isUp = false;
  return { good: new Set(), late: new Set() };
}

async function send(
  fixture: Fixture,
  subject: string,
  length: number,
  prefix: string,
  client = fixture.clientWith({}),
): Promise<void> {
  const messages = Array.from({ length }, (_, n) => ({ messageId: `${prefix}${n}`, subject, body: { n } }));
  await client.createSender("orders").sendMessages(messages);
}

function subscribe(
  { client }: Pick<Fixture, "client">,
  handled: Handled,
  { receiveMode = "peekLock" as "peekLock" | "receiveAndDelete" } = {},
): MessageSubscription {
  return client.createReceiver("orders", { receiveMode } as object).subscribe(
    {
      processMessage: ({ subject, messageId }) => count(handled, subject, messageId),
      processError() {},
    },
    { maxConcurrentCalls: 2 },
  );
}

function count({ good, late }: Handled, subject: string | undefined, messageId: unknown): void {
  const seen = subject === "free" ? good : late;
  expect(seen).not.toContain(messageId);
  seen.add(messageId);
}

async function recover(fixture: Fixture, source: Source, handled: Handled): Promise<void> {
  source.state.isUp = true;
  await advanceUntil(fixture, () => handled.late.size === unavailableCount);
  expect(deadLetters(fixture)).toBe(0);
  await advanceUntil(fixture, () => messageCount(fixture) === 0);
}

/** Advances the clock until the condition holds, no faster than bodies are hashed and decrypted in other threads. */
async function advanceUntil({ clock }: Fixture, holds: () => boolean): Promise<void> {
  for (let step = 0; step < 20_000; step++) {
    if (holds()) return;
    clock.advance(50);
    await crypto.subtle.digest("SHA-256", new Uint8Array(1));
    await turn();
  }
  throw new Error(`It took too long until ${holds}`);
}

function messageCount({ broker }: Fixture): number {
  return (broker.getEntity("orders") as { totalMessageCount: number }).totalMessageCount;
}

function deadLetters({ broker }: Fixture): number {
  return (broker.getEntity("orders") as { deadLetterMessageCount: number }).deadLetterMessageCount;
}
