import { defineMessage, type EncodedMessage, type MessageType } from "@waybill/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { order, orderPlaced, ordersPipeline } from "../../test/orders.js";
import type { ReaderGuard } from "./reader-guard.js";
import { withWritePlans } from "./with-write-plans.js";
import { WritePlan, type WritePlanOptions } from "./write-plan.js";

const targets = { from: { serializer: "json", version: 1 }, to: { serializer: "avro", version: 2 } };

function planOf(options: Partial<WritePlanOptions> = {}, type: MessageType = orderPlaced): WritePlan {
  return new WritePlan(type, { ...targets, ...options });
}

function guardOf(...objections: string[]): ReaderGuard {
  return { objections: async () => objections };
}

function contentTypes(plan: WritePlan, sessionIds: readonly string[]): unknown[] {
  const pipeline = withWritePlans(ordersPipeline(), [plan]);
  return sessionIds.map((sessionId) => {
    const message = pipeline.serialize(orderPlaced.message(order(1), { sessionId })) as EncodedMessage;
    return [message.contentType, message.applicationProperties?.messageVersion];
  });
}

describe("a write plan", () => {
  it("writes the old format first, and the new one at 100 %", async () => {
    const plan = planOf({ guard: guardOf() });
    expect([plan.phase, plan.percent]).toEqual(["old", 0]);
    expect(contentTypes(plan, ["a", "b"])).toEqual([
      ["application/json", 1],
      ["application/json", 1],
    ]);
    await plan.setPercent(100);
    expect([plan.phase, plan.percent]).toEqual(["new", 100]);
    expect(contentTypes(plan, ["a", "b"])).toEqual([
      ["application/avro", 2],
      ["application/avro", 2],
    ]);
  });

  it("decides in the same way for the same key, and raising the share moves no key back", async () => {
    const key = fc.string({ minLength: 1, maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(
        key,
        fc.float({ min: 0, max: 100, noNaN: true }),
        fc.float({ min: 0, max: 100, noNaN: true }),
        async (sessionId, one, other) => {
          const [low, high] = [Math.min(one, other), Math.max(one, other)];
          const chosenAt = async (percent: number) => {
            const plan = planOf({ guard: guardOf() });
            await plan.setPercent(percent);
            const choices = [1, 2].map((id) =>
              plan.choose(orderPlaced.message(order(id), { sessionId, messageId: `${id}` })),
            );
            expect(choices[0]).toBe(choices[1]);
            return choices[0]!.serializer;
          };
          if ((await chosenAt(low)) === "avro") expect(await chosenAt(high)).toBe("avro");
        },
      ),
    );
  });

  it.each([1, 25, 99])("writes %d % of the sessions in the new format", async (percent) => {
    const plan = planOf({ guard: guardOf() });
    await plan.setPercent(percent);
    const sessions = Array.from({ length: 10_000 }, (_, index) => `session-${index}`);
    const news = sessions.filter((sessionId) => plan.choose({ body: 1, sessionId }) === plan.to).length;
    expect(Math.abs(news / 100 - percent)).toBeLessThan(2);
    expect(plan.phase).toBe("mixed");
  });

  it("decides at random for messages without a key", async () => {
    const plan = planOf({ guard: guardOf() });
    await plan.setPercent(50);
    const choices = new Set(Array.from({ length: 100 }, () => plan.choose({ body: 1 })));
    expect(choices.size).toBe(2);
  });

  it("uses a key function of the caller", async () => {
    const plan = planOf({ guard: guardOf(), keyOf: ({ replyTo }) => replyTo });
    await plan.setPercent(50);
    const choices = new Set(
      Array.from({ length: 100 }, (_, id) => plan.choose({ body: 1, replyTo: "r", messageId: `${id}` })),
    );
    expect(choices.size).toBe(1);
  });

  it("is refused when a version cannot be written", () => {
    const type = defineMessage("a", {
      version: 2,
      schemas: { 1: {}, 2: {} },
      upcasters: { 1: (body) => body },
    });
    expect(() => planOf({}, type)).toThrow(
      '[configuration-invalid] "a" cannot be written as version 1: no downcasters lead there.',
    );
  });
});

describe("raising the share", () => {
  it("is refused until every reader can read the target, and names those that cannot", async () => {
    const plan = planOf({ guard: guardOf('"billing" has not said what it can read') });
    await expect(plan.setPercent(1)).rejects.toThrow(
      '[operation-invalid] "order-placed" is not written as avro version 2 at 1 %: "billing" has not said what it can read.',
    );
    expect(plan.percent).toBe(0);
  });

  it("is refused without a guard", async () => {
    await expect(planOf().setPercent(1)).rejects.toThrow("no guard can tell whether every reader is able");
  });

  it("can be forced", async () => {
    const plan = planOf({ guard: guardOf("no") });
    await plan.setPercent(10, { override: true });
    expect(plan.percent).toBe(10);
    await expect(plan.setPercent(11)).rejects.toThrow("no");
  });

  it("is refused if the readers cannot be checked", async () => {
    const plan = planOf({ guard: { objections: () => Promise.reject(new Error("no store")) } });
    await expect(plan.setPercent(1)).rejects.toThrow("no store");
    expect(plan.percent).toBe(0);
  });

  it.each([-1, 101, Number.NaN, "5" as never])("to %s is a TypeError", async (percent) => {
    await expect(planOf().setPercent(percent)).rejects.toThrow(TypeError);
  });
});

describe("the kill switch", () => {
  it("takes effect immediately without the guard", async () => {
    const plan = planOf();
    await plan.setPercent(100, { override: true });
    plan.stop();
    expect(contentTypes(plan, ["a"])).toEqual([["application/json", 1]]);
  });

  it("cancels a raise whose guard is still pending", async () => {
    let answer = (_: readonly string[]): void => {};
    const plan = planOf({ guard: { objections: () => new Promise((resolve) => (answer = resolve)) } });
    const raising = plan.setPercent(50);
    plan.stop();
    answer([]);
    await expect(raising).rejects.toThrow("it was stopped or changed in the meantime");
    expect(plan.percent).toBe(0);
  });

  it("is triggered by a recheck if a reader can no longer read the target", async () => {
    const objections: string[] = [];
    const plan = planOf({ guard: { objections: async () => objections } });
    await plan.setPercent(50);
    expect(await plan.recheck()).toEqual([]);
    expect(plan.percent).toBe(50);
    objections.push("rolled back");
    expect(await plan.recheck()).toEqual(["rolled back"]);
    expect(plan.percent).toBe(0);
  });

  it("lowering the share does not call the guard either", async () => {
    const plan = planOf({ guard: guardOf("no") });
    await plan.setPercent(50, { override: true });
    await plan.setPercent(20);
    expect(plan.percent).toBe(20);
  });
});

describe("a pipeline with write plans", () => {
  it("writes other messages, and calls that name a serializer, as before", async () => {
    const plan = planOf({ guard: guardOf() });
    await plan.setPercent(100);
    const pipeline = withWritePlans(ordersPipeline(), [plan]);
    expect(pipeline.serialize({ body: [1] })).toMatchObject({ contentType: "application/vnd.msgpack" });
    expect(pipeline.serialize(orderPlaced.message(order(1)), { writeAs: {} })).toMatchObject({
      contentType: "application/vnd.msgpack",
      applicationProperties: { messageVersion: 3 },
    });
  });

  it("reads everything that the plan may write", async () => {
    const plan = planOf({ guard: guardOf() });
    const pipeline = withWritePlans(ordersPipeline(), [plan]);
    for (const percent of [0, 100]) {
      await plan.setPercent(percent);
      const message = pipeline.serialize(orderPlaced.message(order(7))) as EncodedMessage;
      expect(pipeline.deserialize(message)).toMatchObject({ body: order(7) });
    }
  });

  const stranger = defineMessage("stranger", { version: 1 });
  it.each<[string, () => WritePlan[], string]>([
    [
      "for a type that the pipeline does not have",
      () => [planOf({ from: { serializer: "json" }, to: { serializer: "avro" } }, stranger)],
      "the pipeline has no such message type",
    ],
    [
      "for a serializer the pipeline does not have",
      () => [planOf({ to: { serializer: "cbor" } })],
      'the pipeline has no serializer "cbor", only msgpack, avro, json',
    ],
    ["twice for one type", () => [planOf(), planOf()], "there are two plans for it"],
  ])("is not created %s", (_, plans, text) => {
    expect(() => withWritePlans(ordersPipeline(), plans())).toThrow(text);
  });
});
