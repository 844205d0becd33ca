import { describe, expect, it } from "vitest";
import { openBroker } from "../client/broker.js";
import { message, openFixture, settleMicrotasks, textsOf } from "../fixture.test-support.js";
import { createDisk, openDisk } from "../storage/restartable-storage.test-support.js";
import { createManualClock } from "../timing/clock.js";

const rules = 1_500;
/** Long enough for the rules to take some milliseconds for each message. */
const text = "x".repeat(30_000);

/** A topic with slow rules. The subscription `some` gets messages whose `a` ends in `y`, `all` gets all messages. */
async function openHeavy(fixture = openFixture()) {
  const { broker } = fixture;
  await broker.createTopic("t");
  await broker.createSubscription("t", "all");
  await broker.createSubscription(
    "t",
    "some",
    {},
    { name: "last", filter: { type: "sql", expression: "a LIKE '%xy'" } },
  );
  for (let i = 0; i < rules; i++) {
    const filter = { type: "sql", expression: `a LIKE '%z${i}%'` } as const;
    await broker.createRule("t", "some", { name: `r${i}`, filter });
  }
  const receive = async (subscription: string) =>
    textsOf(
      await broker
        .receiver(`t/Subscriptions/${subscription}`, { mode: "receiveAndDelete" })
        .receive(1000, { maxWaitMs: 0 }),
    );
  return { ...fixture, sender: broker.sender("t"), receive };
}

const large = (body: string, end = "") => message(body, { applicationProperties: { a: text + end } });

/** The number of event loop turns until a promise is settled. */
async function turnsOf(promise: Promise<unknown>): Promise<number> {
  let isSettled = false;
  let turns = 0;
  const settle = () => {
    isSettled = true;
  };
  promise.then(settle, settle);
  while (!isSettled) {
    await new Promise((resolve) => setImmediate(resolve));
    turns++;
  }
  return turns;
}

describe("a topic with slow rules", () => {
  it("does not block other work, and resolves when its subscriptions have the messages", async () => {
    await using fixture = await openHeavy();
    await fixture.broker.createQueue("q");
    // Too many for any machine within a few turns.
    const bodies = Array.from({ length: 20 }, (_, i) => `${i}`);
    const sent = fixture.sender.sendBatch(bodies.map((body) => large(body, body === "7" ? "y" : "")));
    await settleMicrotasks();
    expect(fixture.broker.getEntity("t").activeMessageCount).toBe(bodies.length);
    await fixture.broker.sender("q").send(message("meanwhile"));
    expect(fixture.broker.getEntity("q").activeMessageCount).toBe(1);
    expect(fixture.broker.getEntity("t").activeMessageCount).toBeGreaterThan(0);
    expect(await turnsOf(sent)).toBeGreaterThan(1);
    expect([await fixture.receive("all"), await fixture.receive("some")]).toEqual([bodies, ["7"]]);
    expect(fixture.broker.getEntity("t")).toMatchObject({ activeMessageCount: 0, sizeInBytes: 0 });
  });

  it("keeps the order of its messages for all ways to send", async () => {
    await using fixture = await openHeavy();
    await fixture.broker.createQueue("q", { forwardTo: "t" });
    const scheduledEnqueueTime = new Date(fixture.clock.now() + 1000);
    await fixture.sender.schedule([{ ...large("scheduled"), scheduledEnqueueTime }]);
    const batch = fixture.sender.sendBatch([large("a"), large("b")]);
    void fixture.broker.sender("q").send(message("forwarded"));
    const transaction = fixture.broker.beginTransaction();
    await fixture.broker.sender("t").send(message("in a transaction"), transaction);
    const committed = transaction.commit();
    fixture.clock.advance(1000);
    await Promise.all([batch, committed, fixture.sender.send(message("last"))]);
    expect(await fixture.receive("all")).toEqual([
      "a",
      "b",
      "forwarded",
      "in a transaction",
      "scheduled",
      "last",
    ]);
  });

  it("executes small work immediately", async () => {
    await using fixture = await openHeavy();
    const sent = fixture.sender.send(message("small"));
    expect(await fixture.receive("all")).toEqual(["small"]);
    await sent;
  });

  it("also creates many copies a few at a time", async () => {
    await using fixture = openFixture();
    const { broker } = fixture;
    await broker.createTopic("t");
    for (let i = 0; i < 300; i++) await broker.createSubscription("t", `s${i}`);
    const sent = broker.sender("t").sendBatch(Array.from({ length: 50 }, (_, i) => message(`${i}`)));
    expect(await turnsOf(sent)).toBeGreaterThan(1);
    const counts = broker.listEntities().filter(({ kind }) => kind === "subscription");
    expect(counts.every(({ activeMessageCount }) => activeMessageCount === 50)).toBe(true);
    const last = broker.receiver("t/Subscriptions/s299", { mode: "receiveAndDelete" });
    expect(textsOf(await last.receive(50))).toEqual(Array.from({ length: 50 }, (_, i) => `${i}`));
  });

  it("discards waiting messages when it is emptied or deleted, and resolves", async () => {
    await using fixture = await openHeavy();
    const first = fixture.sender.sendBatch([large("a"), large("b")]);
    await settleMicrotasks();
    await fixture.broker.reset();
    await first;
    expect(await fixture.receive("all")).toEqual([]);
    expect(fixture.broker.getEntity("t").sizeInBytes).toBe(0);
    const second = fixture.sender.sendBatch([large("a"), large("b")]);
    await settleMicrotasks();
    await fixture.broker.deleteEntity("t");
    await second;
  });

  it("continues when the broker is opened again", async () => {
    const disk = createDisk();
    const clock = createManualClock();
    const open = async () => {
      const broker = await openBroker({ clock, storage: openDisk(disk) });
      return { broker, clock, [Symbol.asyncDispose]: () => broker.close() };
    };
    const first = await openHeavy(await open());
    void first.sender.sendBatch([large("a"), large("b", "y"), large("c")]);
    await settleMicrotasks();
    await first.broker.close();
    await using second = await open();
    expect(second.broker.getEntity("t").activeMessageCount).toBe(3);
    await second.broker.sender("t").send(message("d"));
    const receiver = second.broker.receiver("t/Subscriptions/all", { mode: "receiveAndDelete" });
    expect(textsOf(await receiver.receive(10))).toEqual(["a", "b", "c", "d"]);
    expect(second.broker.getEntity("t/Subscriptions/some").activeMessageCount).toBe(1);
    expect(second.broker.getEntity("t").activeMessageCount).toBe(0);
  });

  it("rejects pending calls when the broker is closed", async () => {
    const fixture = await openHeavy();
    const sent = fixture.sender.sendBatch([large("a"), large("b")]);
    await settleMicrotasks();
    await fixture.broker.close();
    await sent;
  });
});
