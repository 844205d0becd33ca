import { describe, expect, it } from "vitest";
import { createBroker, openBroker } from "./client/broker.js";
import type { QueueOptions } from "./entities/entity-options.js";
import type { Tier } from "./entities/tier.js";
import { codeOf, message, openFixture } from "./fixture.test-support.js";
import { createDisk, openDisk } from "./storage/restartable-storage.test-support.js";
import { createManualClock } from "./timing/clock.js";

const dayMs = 24 * 60 * 60_000;
const kilobyte = 1024;

/** The error code with which a queue of these properties is refused in a tier; undefined if it is created. */
async function refusalOf(tier: Tier, options: QueueOptions): Promise<string | undefined> {
  await using broker = createBroker({ tier });
  await broker.createQueue("target");
  try {
    await broker.createQueue("orders", options);
    return undefined;
  } catch (error) {
    return (error as { code?: string }).code;
  }
}

describe("the basic tier", () => {
  it("has queues, with messages of up to 256 KB that live for up to 14 days", async () => {
    await using fixture = openFixture({ tier: "basic" });
    const { options } = await fixture.broker.createQueue("orders");
    expect(options).toMatchObject({
      maxMessageSizeInKilobytes: 256,
      defaultMessageTimeToLiveMs: 14 * dayMs,
    });
    const sender = fixture.broker.sender("orders");
    const tooLarge = message("x".repeat(256 * kilobyte + 1));
    expect(await codeOf(sender.send(tooLarge))).toBe("message-size-exceeded");
    await sender.send(message("a", { timeToLiveMs: 30 * dayMs }));
    const [received] = await fixture.broker.receiver("orders").receive();
    expect(received?.timeToLiveMs).toBe(14 * dayMs);
  });

  it("has scheduled messages, deferral, dead-letter queues and partitions", async () => {
    await using fixture = openFixture({ tier: "basic" });
    await fixture.broker.createQueue("orders", { enablePartitioning: true });
    const sender = fixture.broker.sender("orders");
    const scheduledEnqueueTime = new Date(fixture.clock.now() + 1000);
    await sender.schedule([message("a", { scheduledEnqueueTime })]);
    fixture.clock.advance(1000);
    const receiver = fixture.broker.receiver("orders");
    const [first] = await receiver.receive();
    await receiver.defer(first ?? "");
    const [again] = await receiver.receiveDeferred([first?.sequenceNumber ?? 0n]);
    await receiver.deadLetter(again ?? "");
    expect(await fixture.broker.receiver("orders/$DeadLetterQueue").peek()).toHaveLength(1);
  });

  it("has no topics, no transactions and no sends via another queue", async () => {
    await using fixture = openFixture({ tier: "basic" });
    await fixture.broker.createQueue("orders");
    expect(await codeOf(fixture.broker.createTopic("news"))).toBe("not-allowed");
    await expect(fixture.broker.createTopic("news")).rejects.toThrow("The basic tier has no topics.");
    expect(() => fixture.broker.beginTransaction()).toThrow("The basic tier has no transactions.");
    expect(() => fixture.broker.sender("orders", { via: "orders" })).toThrow("The basic tier has no sends");
  });

  it.each<[keyof QueueOptions, unknown, string]>([
    ["requiresSession", true, "not-allowed"],
    ["requiresDuplicateDetection", true, "not-allowed"],
    ["autoDeleteOnIdleMs", dayMs, "not-allowed"],
    ["forwardTo", "target", "not-allowed"],
    ["forwardDeadLetteredMessagesTo", "target", "not-allowed"],
    ["defaultMessageTimeToLiveMs", 14 * dayMs + 1, "argument-error"],
    ["defaultMessageTimeToLiveMs", Number.POSITIVE_INFINITY, "argument-error"],
    ["maxMessageSizeInKilobytes", 257, "argument-error"],
    ["maxSizeInMegabytes", 5121, "argument-error"],
  ])("refuses %s = %s", async (name, value, code) => {
    expect(await refusalOf("basic", { [name]: value })).toBe(code);
  });

  it("accepts the defaults of features it does not offer, and checks updates against its limits", async () => {
    await using fixture = openFixture({ tier: "basic" });
    const usual = {
      requiresSession: false,
      autoDeleteOnIdleMs: Number.POSITIVE_INFINITY,
      forwardTo: undefined,
    };
    await fixture.broker.createQueue("orders", usual);
    await fixture.broker.updateEntity("orders", { ...usual, lockDurationMs: 30_000 });
    expect(await codeOf(fixture.broker.updateEntity("orders", { autoDeleteOnIdleMs: dayMs }))).toBe(
      "not-allowed",
    );
    const longer = { defaultMessageTimeToLiveMs: 15 * dayMs };
    expect(await codeOf(fixture.broker.updateEntity("orders", longer))).toBe("argument-error");
    expect(fixture.broker.getEntity("orders").options).toMatchObject({
      defaultMessageTimeToLiveMs: 14 * dayMs,
    });
  });
});

describe("the standard tier", () => {
  it("has everything, with messages of up to 256 KB in entities of up to 5 GB", async () => {
    await using fixture = openFixture({ tier: "standard" });
    const { options } = await fixture.broker.createTopic("news", { requiresDuplicateDetection: true });
    expect(options).toMatchObject({
      maxMessageSizeInKilobytes: 256,
      defaultMessageTimeToLiveMs: Number.POSITIVE_INFINITY,
    });
    await fixture.broker.createSubscription("news", "all", { requiresSession: true });
    await fixture.broker.createQueue("orders", { enablePartitioning: true, enableExpress: true });
    await fixture.broker.beginTransaction().rollBack();
    expect(await refusalOf("standard", { maxMessageSizeInKilobytes: 1024 })).toBe("argument-error");
    expect(await refusalOf("standard", { maxSizeInMegabytes: 81920 })).toBe("argument-error");
    expect(
      await refusalOf("standard", { maxSizeInMegabytes: 5120, autoDeleteOnIdleMs: dayMs }),
    ).toBeUndefined();
  });
});

describe("the premium tier", () => {
  it("has messages of up to 100 MB in entities of up to 80 GB, and neither partitions nor express entities", async () => {
    await using fixture = openFixture({ tier: "premium" });
    const { options } = await fixture.broker.createQueue("orders");
    expect(options.maxMessageSizeInKilobytes).toBe(1024);
    await fixture.broker.createQueue("large", {
      maxMessageSizeInKilobytes: 102400,
      maxSizeInMegabytes: 81920,
    });
    expect(await refusalOf("premium", { enablePartitioning: true })).toBe("not-allowed");
    expect(await refusalOf("premium", { enableExpress: true })).toBe("not-allowed");
    expect(
      await refusalOf("premium", { requiresSession: true, requiresDuplicateDetection: true }),
    ).toBeUndefined();
  });
});

describe("a broker's tier", () => {
  it("has no tier by default, and all features", async () => {
    await using fixture = openFixture();
    await fixture.broker.createQueue("orders", {
      enablePartitioning: true,
      requiresSession: true,
      enableExpress: true,
    });
    expect(fixture.broker.getEntity("orders").options).toMatchObject({ maxMessageSizeInKilobytes: 1024 });
  });

  it("must be one of the service's", () => {
    expect(() => createBroker({ tier: "gold" as never })).toThrow(
      new TypeError('tier is "gold": expected basic, standard, premium'),
    );
    expect(() => createBroker({ tier: "toString" as never })).toThrow(TypeError);
  });

  it("does not change entities created without a tier", async () => {
    const disk = createDisk();
    const clock = createManualClock();
    const first = await openBroker({ clock, storage: openDisk(disk) });
    await first.createQueue("orders", { requiresSession: true });
    await first.close();
    await using broker = await openBroker({ clock, storage: openDisk(disk), tier: "basic" });
    await broker.updateEntity("orders", { lockDurationMs: 30_000 });
    expect(broker.getEntity("orders").options).toMatchObject({
      requiresSession: true,
      lockDurationMs: 30_000,
    });
  });
});
