import { confluentSchemaRegistry, registryAvro } from "@waybill/schema-registry";
import { avro } from "@waybill/serializer-avro";
import { json } from "@waybill/serializer-json";
import { describe, expect, it } from "vitest";
import { type OpenFixture, openHarness, until } from "../request-reply/harness.js";

const schema = {
  type: "record",
  name: "Order",
  fields: [{ name: "n", type: "int" }],
};

/** The response of a registry to each call until it recovers. */
type Fault = (call: number) => Response | Promise<Response>;

const answer = () => Response.json({ schema: JSON.stringify(schema) });

const faults: readonly (readonly [name: string, Fault])[] = [
  ["is down", () => Promise.reject(new TypeError("fetch failed"))],
  ["responds with 503", () => new Response("", { status: 503 })],
  ["is slow", () => new Promise<Response>(() => {})],
  ["responds with garbage", () => new Response("<html>captive portal</html>")],
  ["responds with 404 from a gateway", () => new Response("<html>no route</html>", { status: 404 })],
  ["loses its database", () => Response.json({ error_code: 50001, message: "store" }, { status: 500 })],
  ["flaps", (call) => (call % 2 === 0 ? new Response("x") : new Response("", { status: 502 }))],
];

/** A registry that fails until it recovers: no message may be lost, and no delivery may be counted. */
export function outageTests(where: string, open: OpenFixture): void {
  describe(`a schema registry ${where}`, () => {
    it.each(faults)(
      "that %s does not dead-letter messages, and all are handled when it recovers",
      async (_, fault) => {
        await using harness = await openHarness(open);
        const registry = { calls: 0, isWell: false };
        const fetch = async () => (registry.isWell ? answer() : await fault(registry.calls++));
        const source = confluentSchemaRegistry({ url: "https://registry.test", fetch });
        const reading = { source, timeoutInMs: 10, failureTtlInMs: 1 };
        const consumer = harness.createClient({
          serializer: registryAvro(avro, reading),
          additionalDeserializers: [json()],
          unavailableBackoff: { initialDelayInMs: 5, maxDelayInMs: 20 },
        });
        const producer = harness.createClient({
          serializer: registryAvro(avro, { source, schema: { schema, schemaId: 7 } }),
          additionalDeserializers: [],
        });
        const queue = await harness.createQueue({ maxDeliveryCount: 2 });
        const bodies = Array.from({ length: 12 }, (_each, n) => ({ body: { n } }));
        await producer.createSender(queue).sendMessages(bodies);

        const handling = harness.handle(queue, () => {}, consumer);
        const passing = (holds: () => boolean) =>
          until(async () => {
            await harness.fixture.advance(5);
            return holds();
          });
        await passing(() => registry.calls >= 5);
        expect(handling.seen).toEqual([]);
        registry.isWell = true;
        await passing(() => handling.seen.length === bodies.length);
        expect(handling.seen.map(({ body }) => (body as { n: number }).n).sort((a, b) => a - b)).toEqual(
          bodies.map(({ body }) => body.n),
        );
        expect(handling.seen.map(({ deliveryCount }) => deliveryCount)).toEqual(bodies.map(() => 0));
        expect(await harness.deadLetters(queue)).toEqual([]);
        await Promise.all([consumer.close(), producer.close()]);
      },
    );
  });
}
