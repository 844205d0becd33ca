import { createBroker } from "@waybill/broker";
import { WaybillClient } from "@waybill/core";
import { json } from "@waybill/serializer-json";
import { localTransport } from "@waybill/transport-local";

const broker = createBroker();
await broker.createQueue("orders");
// #region hook
const client = new WaybillClient(localTransport(broker), {
  serializer: json(),
  diagnostics: {
    onEvent(event) {
      if (event.type === "deserialize") console.log("read by", event.report.serializer, event.outcome);
      else if (event.type === "settle") console.log(event.verb, event.message.messageId);
      else console.log(event.type, event.entityPath);
    },
  },
});
// #endregion
await client.createSender("orders").sendMessages({ messageId: "a", body: { order: 1 } });
const receiver = client.createReceiver("orders");
for (const message of await receiver.receiveMessages(1)) await receiver.completeMessage(message);
await client.close();
// send orders
// receive orders
// read by json decoded
// complete a
