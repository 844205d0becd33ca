import { readFileSync } from "node:fs";
import { root } from "../workspace.js";

/** A module that names every entry point of every package, so that all of their declarations are checked. */
export function entryPointsSource(names: readonly string[]): string {
  const entryPoints = names.flatMap((name) =>
    Object.keys(exportsOf(name))
      .filter((path) => path !== "./package.json")
      .map((path) => `@waybill/${name}${path.slice(1)}`),
  );
  return entryPoints
    .map((entryPoint, index) => `export * as entryPoint${index} from "${entryPoint}";\n`)
    .join("");
}

/** A program of a user's: what is inferred must be the same under every compiler. */
export const consumerSource = `
import { bodyType, defineMessage, WaybillClient, type BodyOf, type Transport } from "@waybill/core";
import { avro } from "@waybill/serializer-avro";
import { json } from "@waybill/serializer-json";
import { azureTransport } from "@waybill/transport-azure";
import { ServiceBusClient } from "@azure/service-bus";

export const orderPlaced = defineMessage("order-placed", {
  version: 2,
  schemas: {
    1: bodyType<{ id: number; total: string }>(),
    2: { body: bodyType<{ id: number; cents: number }>(), json: { type: "object" } },
  },
  upcasters: { 1: ({ id, total }) => ({ id, cents: Math.round(Number(total) * 100) }) },
  downcasters: { 2: ({ id, cents }) => ({ id, total: String(cents / 100) }) },
});

export const mistaken = defineMessage("mistaken", {
  version: 2,
  schemas: { 1: bodyType<{ a: string }>(), 2: bodyType<{ b: number }>() },
  // @ts-expect-error The body is not one of version 2.
  upcasters: { 1: ({ a }) => ({ b: a }) },
});

export async function run(transport: Transport = azureTransport(new ServiceBusClient("x"))): Promise<void> {
  await using client = new WaybillClient(transport, {
    serializer: avro(),
    additionalDeserializers: [json()],
    messageTypes: [orderPlaced],
  });
  const [message] = await client.createReceiver("orders").receiveMessages<BodyOf<typeof orderPlaced>>(1);
  const cents: number | undefined = message?.body.cents;
  client.subscribe("orders", {
    processMessage: { "order-placed": ({ body }) => void (body.cents + (cents ?? 0)) },
    processError: ({ error }) => void error,
  });
  // @ts-expect-error There is no such option.
  client.createReceiver("orders", { receivemode: "peekLock" });
}
`;

function exportsOf(name: string): object {
  return JSON.parse(readFileSync(`${root}packages/${name}/package.json`, "utf8")).exports;
}
