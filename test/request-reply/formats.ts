import type { ReplyOptions } from "@waybill/core";
import { avro } from "@waybill/serializer-avro";
import { json } from "@waybill/serializer-json";
import { msgpack } from "@waybill/serializer-msgpack";
import { describe, expect, it } from "vitest";
import { type OpenFixture, openHarness } from "./harness.js";
import { createQueues } from "./simple.js";

/** A reply is written in a format that the request accepts. */
export function formatTests(open: OpenFixture): void {
  describe("the format of a reply", () => {
    it("is one that the requester reads, even if the answerer's main format is another", async () => {
      await using harness = await openHarness(open);
      const { orders, replies } = await createQueues(harness);
      const older = harness.createClient({ serializer: json(), additionalDeserializers: [] });
      const newer = harness.createClient({ serializer: msgpack(), additionalDeserializers: [json()] });
      harness.handle(orders, (request) => newer.reply(request, { total: 12 }), newer);
      const reply = await older.request(orders, { body: { lamps: 2 }, replyTo: replies });
      expect(reply.body).toEqual({ total: 12 });
      expect(reply.contentType).toBe("application/json");
      const its = await newer.request(orders, { body: { lamps: 2 }, replyTo: await harness.createQueue() });
      expect(its.contentType).toBe("application/vnd.msgpack");
    });

    it("keeps the content type with parameters of the main serializer", async () => {
      await using harness = await openHarness(open);
      const replies = await harness.createQueue();
      const schema = { type: "record", name: "Quote", fields: [{ name: "total", type: "int" }] } as const;
      const serializer = avro({ schema });
      const client = harness.createClient({ serializer, additionalDeserializers: [json()] });
      const request = { replyTo: replies, applicationProperties: { Accept: "application/avro" } };
      await client.reply(request, { total: 12 });
      const [reply] = await client.createReceiver(replies).peekMessages(1);
      expect([reply!.contentType, reply!.body]).toEqual(["application/avro", { total: 12 }]);
    });

    it.each<[string, ReplyOptions]>([
      ["application/xml", {}],
      ["application/json;q=0", {}],
      ["text/*", {}],
      ["application/json", { properties: { contentType: "application/msgpack" } }],
    ])("is refused if the request accepts none of the available ones: %s %j", async (accept, options) => {
      await using harness = await openHarness(open);
      const replies = await harness.createQueue();
      const request = { messageId: "a", replyTo: replies, applicationProperties: { Accept: accept } };
      await expect(harness.client.reply(request, 1, options)).rejects.toMatchObject({
        code: "serialization-failed",
        messageId: "a",
        entityPath: replies,
        stage: "select",
        text: expect.stringContaining(`The request accepts "${accept}"`),
      });
      expect(await harness.left(replies)).toEqual([]);
      await harness.client.reply(request, 1, { ...options, whenNotAcceptable: "send" });
      const contentType = options.properties?.contentType ?? "application/json";
      expect(await harness.left(replies)).toMatchObject([{ contentType, body: 1 }]);
    });

    it("is requested according to the requester or the request", async () => {
      await using harness = await openHarness(open);
      const { orders, replies } = await createQueues(harness);
      const { seen } = harness.handle(orders, (request, client) => client.reply(request, {}));
      const accept = "application/msgpack";
      await harness.client.createRequester(replies, { accept }).request(orders, { body: 1 });
      const silent = harness.client.createRequester(await harness.createQueue(), { accept: false });
      await silent.request(orders, { body: 2 });
      const applicationProperties = { Accept: "text/json" };
      const reply = await silent.request(orders, { body: 3, applicationProperties });
      expect(reply.contentType).toBe("text/json");
      expect(seen.map((request) => request.applicationProperties.Accept)).toEqual([
        accept,
        undefined,
        "text/json",
      ]);
    });
  });
}
