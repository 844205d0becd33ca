import { createBroker } from "@waybill/broker";
import { defineMessage, WaybillClient } from "@waybill/core";
import { avro } from "@waybill/serializer-avro";
import { json } from "@waybill/serializer-json";
import { localTransport } from "@waybill/transport-local";
import { z } from "zod";

// #region define
const orderPlaced = defineMessage("order-placed", {
  version: 3,
  schemas: {
    1: z.object({ id: z.number(), total: z.string() }),
    2: z.object({ id: z.number(), cents: z.number().int() }),
    3: {
      body: z.object({ orderId: z.string(), cents: z.number().int() }),
      avro: {
        type: "record",
        name: "OrderPlaced",
        fields: [
          { name: "orderId", type: "string" },
          { name: "cents", type: "long" },
        ],
      },
    },
  },
  upcasters: {
    1: ({ id, total }) => ({ id, cents: Math.round(Number(total) * 100) }),
    2: ({ id, cents }) => ({ orderId: `o-${id}`, cents }),
  },
});
// #endregion

const broker = createBroker();
await broker.createQueue("orders");
const old = new WaybillClient(localTransport(broker), { serializer: json() });
const client = new WaybillClient(localTransport(broker), {
  serializer: avro(),
  additionalDeserializers: [json()],
  messageTypes: [orderPlaced],
});

// #region send
await client.createSender("orders").sendMessages(orderPlaced.message({ orderId: "o-8", cents: 990 }));
// #endregion
await old.createSender("orders").sendMessages({ subject: "order-placed", body: { id: 7, total: "12.50" } });

let count = 0;
let done = (): void => {};
const arrived = new Promise<void>((resolve) => {
  done = resolve;
});
// #region subscribe
const subscription = client.subscribe("orders", {
  processMessage: {
    "order-placed": ({ body, deserialization }) => {
      const { serializer, messageVersion, upcastPath } = deserialization;
      console.log(body.orderId, body.cents, `${serializer} v${messageVersion}`, upcastPath);
      if (++count === 2) done();
    },
  },
  processError: ({ error }) => console.error(error),
});
// #endregion
await arrived;
await subscription.close();
await client.close();
// o-8 990 avro v3 []
// o-7 1250 json v1 [ 1, 2, 3 ]
