import { createPipeline, defineMessage, type EncodedMessage, type Message } from "@waybill/core";
import { json } from "@waybill/serializer-json";
import { msgpack } from "@waybill/serializer-msgpack";
import { describe, expect, it } from "vitest";
import type { BeaconStore, CapabilityBeacon } from "../capability/beacon-store.js";
import { readerCapability } from "../capability/reader-capability.js";
import { ContentTypePlan, type ContentTypePlanOptions } from "./content-type-plan.js";
import { beaconGuard } from "./reader-guard.js";
import { withWritePlans } from "./with-write-plans.js";

const ends = { from: { contentType: "application/json" }, to: { contentType: "application/vnd.msgpack" } };
const noted = defineMessage("noted", { version: 1 });
const pipeline = createPipeline({
  serializer: json(),
  additionalDeserializers: [msgpack()],
  messageTypes: [noted],
  messageTypePolicies: { unknown: "pass" },
});

function planOf(options: Partial<ContentTypePlanOptions> = {}): ContentTypePlan {
  return new ContentTypePlan("orders", { ...ends, ...options });
}

function contentTypeOf(plan: ContentTypePlan, message: Message): string | undefined {
  return (withWritePlans(pipeline, [plan]).serialize(message) as EncodedMessage).contentType;
}

describe("a write plan by content type", () => {
  it("switches messages without a message type, with any subject, and back at once", async () => {
    const plan = planOf();
    const message = { body: { order: 1 }, subject: "eu", messageId: "m1" };
    expect(contentTypeOf(plan, message)).toBe("application/json");
    await plan.setPercent(100, { override: true });
    expect(contentTypeOf(plan, message)).toBe("application/vnd.msgpack");
    expect([plan.phase, plan.percent]).toEqual(["new", 100]);
    plan.stop();
    expect(contentTypeOf(plan, message)).toBe("application/json");
  });

  it("writes bodies that the pipeline reads", async () => {
    const plan = planOf();
    const planned = withWritePlans(pipeline, [plan]);
    for (const percent of [0, 100]) {
      await plan.setPercent(percent, { override: true });
      const sent = planned.serialize({ body: { order: 1 } }) as EncodedMessage;
      expect(planned.deserialize(sent)).toMatchObject({ status: "decoded", body: { order: 1 } });
    }
  });

  it("writes each session in one format, and the planned share of sessions in the new one", async () => {
    const plan = planOf();
    await plan.setPercent(30, { override: true });
    const chosen = (sessionId: string) => plan.choose({ body: 1, sessionId });
    const sessions = Array.from({ length: 1000 }, (_, index) => `s${index}`);
    const news = sessions.filter((sessionId) => chosen(sessionId) === plan.to);
    expect(news.length).toBeGreaterThan(250);
    expect(news.length).toBeLessThan(350);
    expect(sessions.filter((sessionId) => chosen(sessionId) === plan.to)).toEqual(news);
    expect(plan.phase).toBe("mixed");
  });

  it("does not affect typed messages, empty ones and other content types", async () => {
    const plan = planOf();
    await plan.setPercent(100, { override: true });
    expect(contentTypeOf(plan, noted.message({}))).toBe("application/json");
    expect(contentTypeOf(plan, { body: {}, applicationProperties: { type: "noted" } })).toBe(
      "application/json",
    );
    expect(contentTypeOf(plan, { body: undefined })).toBeUndefined();
    expect(contentTypeOf(plan, { body: {}, contentType: "application/vnd.shop+json" })).toBe(
      "application/vnd.shop+json",
    );
    expect(contentTypeOf(plan, { body: {}, contentType: "application/json; charset=utf-8" })).toBe(
      "application/vnd.msgpack",
    );
  });

  it("applies to the messages that `covers` accepts", async () => {
    const plan = planOf({ covers: ({ subject }) => subject === "order" });
    await plan.setPercent(100, { override: true });
    expect(contentTypeOf(plan, { body: {}, subject: "order" })).toBe("application/vnd.msgpack");
    expect(contentTypeOf(plan, { body: {}, subject: "note" })).toBe("application/json");
  });

  it.each<[string, Partial<ContentTypePlanOptions>, string]>([
    ["without a content type", { to: {} as never }, "needs a content type in to.contentType, such as"],
    [
      "with a malformed one",
      { from: { contentType: "json" } },
      'from.contentType, such as "application/json"; got "json"',
    ],
  ])("is refused %s", (_, options, text) => {
    expect(() => planOf(options)).toThrow(text);
  });

  it("is refused for a content type that no serializer of the pipeline writes", () => {
    const plan = planOf({ to: { contentType: "application/avro" } });
    expect(() => withWritePlans(pipeline, [plan])).toThrow(
      'The write plan of "orders" cannot work: no serializer of the pipeline writes application/avro; it has json, msgpack.',
    );
  });
});

describe("raising its share", () => {
  it("needs a name", () => {
    for (const name of ["", undefined])
      expect(() => new ContentTypePlan(name as string, ends)).toThrow("A content type plan needs a name.");
  });

  it("checks the content type with every reader", async () => {
    const guard = beaconGuard({
      store: storeOf("billing", createPipeline({ serializer: json() })),
      readers: [{ name: "billing", instances: 1 }],
      pipeline,
    });
    await expect(planOf({ guard }).setPercent(10)).rejects.toThrow(
      '"orders" is not written as application/vnd.msgpack at 10 %: "billing" (1) does not read application/vnd.msgpack.',
    );
  });

  it("is refused until all readers have announced their capability", async () => {
    const guard = beaconGuard({
      store: storeOf("billing", pipeline),
      readers: ["billing", "audit"].map((name) => ({ name, instances: 1 })),
      pipeline,
    });
    await expect(planOf({ guard }).setPercent(10)).rejects.toThrow('"audit" has not said what it can read');
  });

  it("succeeds if all readers can read it, including suffixes; a recheck stops the plan if one no longer can", async () => {
    const to = { contentType: "application/vnd.shop+json" };
    const readers = [{ name: "billing", instances: 1 }];
    const able = planOf({
      to,
      guard: beaconGuard({ store: storeOf("billing", pipeline), readers, pipeline }),
    });
    await able.setPercent(100);
    expect(await able.recheck()).toEqual([]);
    const store = storeOf("billing", createPipeline({ serializer: msgpack() }));
    const unable = planOf({ to, guard: beaconGuard({ store, readers, pipeline }) });
    await unable.setPercent(100, { override: true });
    expect(await unable.recheck()).toEqual(['"billing" (1) does not read application/vnd.shop+json']);
    expect(unable.percent).toBe(0);
  });
});

function storeOf(reader: string, read: Parameters<typeof readerCapability>[0]): BeaconStore {
  const announcedAt = new Date();
  const expiresAt = new Date(announcedAt.getTime() + 600_000);
  const beacon: CapabilityBeacon = {
    reader,
    instance: "1",
    capability: readerCapability(read),
    entities: ["orders"],
    announcedAt,
    expiresAt,
  };
  return { announce: async () => {}, list: async () => [beacon] };
}
