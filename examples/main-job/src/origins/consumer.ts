import { createRegistry, isMessage, toJson } from "@bufbuild/protobuf";
import { StructSchema } from "@bufbuild/protobuf/wkt";
import { bodyType, defineMessage, type Transport, WaybillClient } from "@waybill/core";
import { cloudEvents, dapr, envelopes, massTransit, nserviceBus } from "@waybill/envelopes";
import { registryAvro } from "@waybill/schema-registry";
import { avro } from "@waybill/serializer-avro";
import { cbor } from "@waybill/serializer-cbor";
import { dotnetBinary } from "@waybill/serializer-dotnet";
import { json } from "@waybill/serializer-json";
import { protobuf } from "@waybill/serializer-protobuf";
import type { Order } from "./order.js";
import { bothRegistries } from "./registries.js";

// #region chain
const orderPlaced = defineMessage("order-placed", {
  version: 1,
  schemas: { 1: { body: bodyType<Order>() } },
});

/** A consumer that reads every origin: formats by the chain, other buses' envelopes by the resolver. */
export function openConsumer(transport: Transport) {
  const dotnetTypes = { "Shop.Contracts.OrderPlaced": "order-placed" };
  return new WaybillClient(transport, {
    serializer: registryAvro(avro, { source: bothRegistries() }),
    additionalDeserializers: [
      json(),
      dotnetBinary({ json: true }),
      cbor(),
      protobuf({ registry: createRegistry(StructSchema) }),
    ],
    messageTypes: [orderPlaced],
    messageTypeResolver: envelopes([
      nserviceBus({ types: dotnetTypes }),
      massTransit({ types: dotnetTypes }),
      cloudEvents({ types: { "com.shop.order.placed": "order-placed" } }),
      dapr({ types: { orders: "order-placed" } }),
    ]),
  });
}
// #endregion

/** Converts a body to a plain value: Protobuf messages are values of protobuf-es, all others are plain already. */
export function plainBody(body: unknown): unknown {
  return isMessage(body, StructSchema) ? toJson(StructSchema, body) : body;
}
