import { gzipSync } from "node:zlib";
import { ServiceBusClient } from "@azure/service-bus";
import { encodeMessage } from "@waybill/amqp";
import { createBroker } from "@waybill/broker";
import { serve } from "@waybill/broker-server";
import { type Transport, WaybillClient } from "@waybill/core";
import { json } from "@waybill/serializer-json";
import { azureTransport } from "@waybill/transport-azure";
import { localTransport } from "@waybill/transport-local";
import { afterAll, describe, expect, it } from "vitest";
import { connectRaw, sendOn } from "../../packages/broker-server/src/raw-client.test-support.js";

const broker = createBroker();
const server = await serve(broker, { port: 0, keys: [{ name: "root", key: "secret", rights: ["Manage"] }] });
const sdk = new ServiceBusClient(server.connectionString);
const raw = await connectRaw(server, {
  mechanism: "PLAIN",
  initialResponse: Buffer.from("\0root\0secret"),
});
afterAll(async () => {
  await raw[Symbol.asyncDispose]();
  await sdk.close();
  await server.close();
  await broker.close();
});

const bytes = gzipSync('{"id":9007199254740993}');
const body = { kind: "data", sections: [bytes] } as const;

const transports: readonly (readonly [string, () => Transport])[] = [
  ["on the local transport", () => localTransport(broker)],
  ["over the official SDK", () => azureTransport(sdk)],
];

let topics = 0;

describe.each(transports)("a body with AMQP's property content-encoding, %s", (_, open) => {
  it("is decompressed, also after a rule changed other properties", async () => {
    await using client = new WaybillClient(open(), { serializer: json() });
    for (const action of [undefined, "SET sys.Label = 'changed'"]) {
      const topic = `encoded-${++topics}`;
      await broker.createTopic(topic);
      await broker.createSubscription(topic, "all");
      if (action !== undefined) {
        await broker.deleteRule(topic, "all", "$Default");
        await broker.createRule(topic, "all", {
          name: "change",
          filter: { type: "true" },
          action: { expression: action },
        });
      }
      const link = await raw.sender(topic);
      await sendOn(link, encodeMessage({ properties: { contentEncoding: "gzip" }, body }));
      link.detach();
      const receiver = client.createReceiver(topic, "all");
      const [message] = await receiver.receiveMessages(1);
      expect(message).toMatchObject({
        body: { id: 9007199254740993n },
        contentEncoding: "gzip",
        applicationProperties: {},
        deserialization: { contentEncodings: ["gzip"] },
      });
    }
  });

  it("keeps it when the message is sent again as it is", async () => {
    const queue = `encoded-${++topics}`;
    await broker.createQueue(queue);
    const transport = open();
    await transport.createSender(queue).send([{ body: bytes, contentEncoding: "gzip" }]);
    const [first] = await sdk.createReceiver(queue).peekMessages(1);
    expect(first?._rawAmqpMessage.properties?.contentEncoding).toBe("gzip");
    const receiver = transport.createReceiver({ queue }, "receiveAndDelete");
    const [received] = await receiver.receive({ maxMessages: 1, maxWaitTimeInMs: 60_000 });
    expect(received).toMatchObject({ body: new Uint8Array(bytes), contentEncoding: "gzip" });
  });
});
