import { describe, expect, it } from "vitest";
import { codeOf, openFixture } from "../fixture.test-support.js";
import { defaultQueueOptions, defaultSubscriptionOptions, defaultTopicOptions } from "./entity-options.js";

const minuteMs = 60_000;

describe("defaults", () => {
  it("are Azure's", () => {
    expect(defaultQueueOptions).toEqual({
      status: "Active",
      userMetadata: undefined,
      autoDeleteOnIdleMs: Number.POSITIVE_INFINITY,
      defaultMessageTimeToLiveMs: Number.POSITIVE_INFINITY,
      enableBatchedOperations: true,
      maxSizeInMegabytes: 1024,
      maxMessageSizeInKilobytes: 1024,
      requiresDuplicateDetection: false,
      duplicateDetectionHistoryTimeWindowMs: 10 * minuteMs,
      enablePartitioning: false,
      enableExpress: false,
      authorizationRules: [],
      lockDurationMs: minuteMs,
      maxDeliveryCount: 10,
      requiresSession: false,
      deadLetteringOnMessageExpiration: false,
      forwardTo: undefined,
      forwardDeadLetteredMessagesTo: undefined,
    });
    expect(defaultTopicOptions.supportOrdering).toBe(true);
    expect(defaultSubscriptionOptions.deadLetteringOnFilterEvaluationExceptions).toBe(true);
    expect(Object.keys(defaultSubscriptionOptions)).not.toContain("maxSizeInMegabytes");
  });
});

describe("ranges", () => {
  it.each([
    ["lockDurationMs", 4999],
    ["lockDurationMs", 5 * minuteMs + 1],
    ["maxDeliveryCount", 0],
    ["maxDeliveryCount", 1.5],
    ["maxSizeInMegabytes", 0],
    ["maxMessageSizeInKilobytes", 102401],
    ["duplicateDetectionHistoryTimeWindowMs", 19_999],
    ["duplicateDetectionHistoryTimeWindowMs", 7 * 24 * 60 * minuteMs + 1],
    ["defaultMessageTimeToLiveMs", 999],
    ["defaultMessageTimeToLiveMs", Number.NaN],
    ["autoDeleteOnIdleMs", 5 * minuteMs - 1],
    ["userMetadata", "x".repeat(1025)],
    ["status", "Asleep"],
    ["requiresSession", "yes"],
    ["forwardTo", ""],
    ["unheardOf", 1],
    ["__proto__", 1],
  ])("refuse %s = %s", async (name, value) => {
    await using fixture = openFixture();
    const options = Object.fromEntries([[name, value]]);
    expect(await codeOf(fixture.broker.createQueue("orders", options))).toBe("argument-error");
    expect(fixture.broker.listEntities()).toEqual([]);
  });

  it("include their limits", async () => {
    await using fixture = openFixture();
    await fixture.broker.createQueue("low", {
      lockDurationMs: 5000,
      maxDeliveryCount: 1,
      autoDeleteOnIdleMs: 5 * minuteMs,
    });
    await fixture.broker.createQueue("high", { lockDurationMs: 5 * minuteMs, maxDeliveryCount: 2147483647 });
    expect(fixture.broker.listEntities()).toHaveLength(2);
  });

  it("are named in the error", async () => {
    await using fixture = openFixture();
    await expect(fixture.broker.createQueue("orders", { maxDeliveryCount: 0 })).rejects.toThrow(
      "maxDeliveryCount of 'orders' is 0: expected an integer from 1 to 2147483647.",
    );
  });

  it("do not let a subscription have the properties of its topic", async () => {
    await using fixture = openFixture();
    await fixture.broker.createTopic("news");
    const options = { maxSizeInMegabytes: 5 } as object;
    expect(await codeOf(fixture.broker.createSubscription("news", "sub", options))).toBe("argument-error");
  });
});
