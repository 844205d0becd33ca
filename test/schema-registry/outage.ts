import { confluentSchemaRegistry, registryAvro } from "@waybill/schema-registry";
import { avro } from "@waybill/serializer-avro";
import { json } from "@waybill/serializer-json";
import { describe, expect, it } from "vitest";
import { type OpenWorld, openTrial, until } from "../request-reply/trial.js";

const schema = {
  type: "record",
  name: "Order",
  fields: [{ name: "n", type: "int" }],
};

/** What a registry does with the call of a number, before it is well again. */
type Fault = (call: number) => Response | Promise<Response>;

const answer = () => Response.json({ schema: JSON.stringify(schema) });

const faults: readonly (readonly [name: string, Fault])[] = [
  ["is down", () => Promise.reject(new TypeError("fetch failed"))],
  ["answers 503", () => new Response("", { status: 503 })],
  ["is slow", () => new Promise<Response>(() => {})],
  ["answers garbage", () => new Response("<html>captive portal</html>")],
  ["answers 404 from a gateway", () => new Response("<html>no route</html>", { status: 404 })],
  ["loses its database", () => Response.json({ error_code: 50001, message: "store" }, { status: 500 })],
  ["flaps", (call) => (call % 2 === 0 ? new Response("x") : new Response("", { status: 502 }))],
];

/** A registry that is faulty until it is mended: nothing may be lost for it, or use up deliveries. */
export function outageTests(where: string, open: OpenWorld): void {
  describe(`a schema registry ${where}`, () => {
    it.each(faults)(
      "that %s dead-letters nothing, and all is handled when it is well again",
      async (_, fault) => {
        await using trial = await openTrial(open);
        const registry = { calls: 0, isWell: false };
        const fetch = async () => (registry.isWell ? answer() : await fault(registry.calls++));
        const source = confluentSchemaRegistry({ url: "https://registry.test", fetch });
        const reading = { source, timeoutInMs: 10, failureTtlInMs: 1 };
        const consumer = trial.createClient({
          serializer: registryAvro(avro, reading),
          additionalDeserializers: [json()],
          unavailableBackoff: { initialDelayInMs: 5, maxDelayInMs: 20 },
        });
        const producer = trial.createClient({
          serializer: registryAvro(avro, { source, schema: { schema, schemaId: 7 } }),
          additionalDeserializers: [],
        });
        const queue = await trial.createQueue({ maxDeliveryCount: 2 });
        const bodies = Array.from({ length: 12 }, (_each, n) => ({ body: { n } }));
        await producer.createSender(queue).sendMessages(bodies);

        const handling = trial.handle(queue, () => {}, consumer);
        const passing = (holds: () => boolean) =>
          until(async () => {
            await trial.world.advance(5);
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
        expect(await trial.deadLetters(queue)).toEqual([]);
        await Promise.all([consumer.close(), producer.close()]);
      },
    );
  });
}
