import { setImmediate as turn } from "node:timers/promises";
import type { MessageSubscription, ReceivedMessage } from "@waybill/core";
import { describe, expect, it } from "vitest";
import { createFixture, type Fixture, quiet } from "../../../test/fixture.js";
import { registry } from "./unavailable-sources.test-support.js";

const seconds = 1_000;

describe("a message that was deferred and received again", () => {
  it("is delivered again if its handler fails: the broker keeps it deferred, and gives it to nobody else", async () => {
    const source = registry();
    await using fixture = await createFixture({ client: holdingOne(source) });
    await sendThree(fixture);
    source.state.isUp = false;
    const tried: unknown[] = [];
    subscribe(fixture, ({ messageId }) => {
      tried.push(messageId);
      if (messageId === "n3" && tried.filter((id) => id === "n3").length < 3) throw new Error("busy");
    });
    await advanceUntil(fixture, () => isDeferred(fixture, "n3"));
    source.state.isUp = true;
    await advanceUntil(fixture, () => left(fixture) === 0);
    expect(tried.filter((id) => id === "n3")).toHaveLength(3);
  });

  it("is delivered again if its lock is lost", async () => {
    const source = registry();
    await using fixture = await createFixture({ client: holdingOne(source) });
    await sendThree(fixture);
    source.state.isUp = false;
    let deliveries = 0;
    subscribe(fixture, ({ messageId, lockToken = "" }) => {
      if (messageId !== "n3") return;
      deliveries++;
      if (deliveries < 3) fixture.broker.faults.loseLock("orders", lockToken);
    });
    await advanceUntil(fixture, () => isDeferred(fixture, "n3"));
    source.state.isUp = true;
    await advanceUntil(fixture, () => left(fixture) === 0);
    expect(deliveries).toBe(3);
  });

  it("is returned again by calls of receiveMessages after it was abandoned", async () => {
    const source = registry();
    await using fixture = await createFixture({ client: holdingOne(source) });
    await sendThree(fixture);
    source.state.isUp = false;
    const receiver = fixture.client.createReceiver("orders");
    const completed: unknown[] = [];
    let abandoned = 0;
    const receiveOnce = async () => {
      fixture.clock.advance(seconds);
      const messages = await receiver.receiveMessages(1, { maxWaitTimeInMs: 0 }).catch(() => []);
      for (const message of messages) {
        if (isDeferred(fixture, message.messageId) && abandoned++ === 0)
          await receiver.abandonMessage(message);
        else {
          completed.push(message.messageId);
          await receiver.completeMessage(message);
        }
      }
    };
    for (let calls = 0; calls < 20 && completed.length === 0; calls++) await receiveOnce();
    expect(completed).toEqual(["free"]);
    source.state.isUp = true;
    for (let calls = 0; calls < 200 && left(fixture) > 0; calls++) await receiveOnce();
    expect(abandoned).toBeGreaterThan(0);
    expect(completed.sort()).toEqual(["free", "n1", "n2", "n3"]);
  });
});

describe("a message that another process deferred", () => {
  it("is left to processors that can defer it again: not received in receive-and-delete mode", async () => {
    await using fixture = await createFixture();
    await fixture
      .clientWith({})
      .createSender("orders")
      .sendMessages({ messageId: "n1", body: { n: 1 } });
    const other = fixture.broker.receiver("orders");
    const [message] = await other.receive();
    const heldSince = new Date(fixture.clock.now()).toISOString();
    await other.defer(message!, { "waybill-held-since": heldSince });
    const handled: unknown[] = [];
    const processMessage = ({ messageId }: ReceivedMessage) => void handled.push(messageId);
    const deleting = fixture.client.createReceiver("orders", { receiveMode: "receiveAndDelete" });
    const subscription = deleting.subscribe({ processMessage, processError() {} });
    await advance(fixture, 60);
    expect([handled, left(fixture)]).toEqual([[], 1]);
    await subscription.close();
    subscribe(fixture, processMessage);
    await advanceUntil(fixture, () => left(fixture) === 0);
    expect(handled).toEqual(["n1"]);
  });
});

describe("a message without room for the property that marks a deferred one", () => {
  it("stays locked: deferred without the mark, no other process would find it", async () => {
    const source = registry();
    await using fixture = await createFixture({ client: holdingOne(source) });
    // 32 KB is the limit for one property, 64 KB for all together.
    await sendThree(fixture, { padding: "x".repeat(32_760), more: "x".repeat(32_740) });
    source.state.isUp = false;
    const handled: unknown[] = [];
    const errors: string[] = [];
    const subscription = subscribe(
      fixture,
      ({ messageId }) => void handled.push(messageId),
      ({ error }) => errors.push((error as Error).message),
    );
    await advanceUntil(fixture, () => errors.some((text) => text.includes("properties")));
    await advance(fixture, 60);
    const states = (await fixture.broker.receiver("orders").peek(9)).map(({ state }) => state);
    expect(states).not.toContain("deferred");
    // Each of them is tried once: the broker would refuse it every time.
    expect(errors.filter((text) => text.includes("properties"))).toHaveLength(2);
    source.state.isUp = true;
    await advanceUntil(fixture, () => left(fixture) === 0);
    expect(new Set(handled)).toEqual(new Set(["free", "n1", "n2", "n3"]));
    await subscription.close();
  });
});

/** A client whose schema registry can be switched off, and which keeps one unavailable message beside those in its call slots. */
function holdingOne({ options }: ReturnType<typeof registry>) {
  return { ...options, unavailableBackoff: { maxHeldMessages: 1 } };
}

/** Three messages that need the registry, and one behind them that does not. */
async function sendThree({ clientWith }: Fixture, applicationProperties = {}): Promise<void> {
  const sender = clientWith({}).createSender("orders");
  for (const n of [1, 2, 3]) {
    await sender.sendMessages({ messageId: `n${n}`, subject: "needs", body: { n }, applicationProperties });
  }
  await sender.sendMessages({ messageId: "free", body: { n: 4 } });
}

function subscribe(
  { client }: Fixture,
  processMessage: (message: ReceivedMessage) => Promise<void> | void,
  processError: (args: { readonly error: unknown }) => void = () => {},
): MessageSubscription {
  return client
    .createReceiver("orders")
    .subscribe({ processMessage, processError }, { maxConcurrentCalls: 2 });
}

function isDeferred({ events }: Fixture, id: unknown): boolean {
  return events.some(({ message, disposition }) => disposition === "deferred" && message.messageId === id);
}

function left({ broker }: Fixture): number {
  return (broker.getEntity("orders") as { totalMessageCount: number }).totalMessageCount;
}

async function advance({ clock }: Fixture, howManySeconds: number): Promise<void> {
  for (let passed = 0; passed < howManySeconds; passed++) {
    clock.advance(seconds);
    await quiet();
  }
}

async function advanceUntil({ clock }: Fixture, holds: () => boolean): Promise<void> {
  for (let step = 0; !holds(); step++) {
    if (step === 20_000) throw new Error(`It took too long until ${holds}`);
    clock.advance(100);
    await turn();
  }
}
