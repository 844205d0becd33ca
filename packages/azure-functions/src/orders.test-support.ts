import { ServiceBusClient } from "@azure/service-bus";
import { bodyType, defineMessage, WaybillClient, type WaybillClientOptions } from "@waybill/core";
import { avro } from "@waybill/serializer-avro";
import { json } from "@waybill/serializer-json";
import { msgpack } from "@waybill/serializer-msgpack";
import { azureTransport } from "@waybill/transport-azure";
import { type WaybillFunctions, waybillFunctions } from "./index.js";

/** The body of an order, with what text would destroy: bytes that are no UTF-8, and an integer beyond 2^53. */
export interface Order {
  readonly id: string;
  readonly amount: number;
  readonly picture?: Uint8Array;
}

const schema = {
  type: "record",
  name: "Order",
  fields: [
    { name: "id", type: "string" },
    { name: "amount", type: "double" },
  ],
};

export const orderPlaced = defineMessage("order-placed", { version: 1, schemas: { 1: bodyType<Order>() } });
export const orderCancelled = defineMessage("order-cancelled", {
  version: 1,
  schemas: { 1: bodyType<{ readonly id: string }>() },
});
export type Types = typeof orderPlaced | typeof orderCancelled;

/** What the functions read: JSON is written, Avro and MessagePack may arrive. */
export const clientOptions = {
  serializer: json(),
  additionalDeserializers: [msgpack(), avro({ schemas: { "order-placed": { schema } } })],
  messageTypes: [orderPlaced, orderCancelled],
} satisfies WaybillClientOptions<Types>;

/** The functions of a process, connected to the host's namespace. */
export function orderFunctions(connectionString: string): WaybillFunctions<Types> {
  return waybillFunctions<Types>({
    ...clientOptions,
    serviceBusClient: () => new ServiceBusClient(connectionString),
  });
}

export const formats = {
  avro: { serializer: avro({ schemas: { "order-placed": { schema } } }), messageTypes: [orderPlaced] },
  msgpack: { serializer: msgpack(), messageTypes: [orderPlaced] },
  json: { serializer: json(), messageTypes: [orderPlaced] },
} satisfies Record<string, WaybillClientOptions<typeof orderPlaced>>;

/** The state of a session of the queue `orders`. */
export async function sessionState(serviceBusClient: ServiceBusClient, sessionId: string): Promise<unknown> {
  await using client = new WaybillClient(azureTransport(serviceBusClient), { serializer: json() });
  const session = await client.acceptSession("orders", sessionId);
  return await session.getSessionState();
}
