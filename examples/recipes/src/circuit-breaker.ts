import { createBroker, createManualClock, type QueueDescription } from "@waybill/broker";
import { WaybillClient } from "@waybill/core";
import type { CircuitState } from "@waybill/core/diagnostics";
import { json } from "@waybill/serializer-json";
import { localTransport } from "@waybill/transport-local";

const clock = createManualClock();
const broker = createBroker({ clock });
await broker.createQueue("orders");
const transport = localTransport(broker);

/** A schema that is broken, and fixed later. */
const reader = { isBroken: false };
const checked = (value: unknown) => {
  if (reader.isBroken) throw new Error("customer is missing");
  return value;
};
let state: CircuitState = "closed";
const consumer = new WaybillClient(transport, {
  serializer: json({ schemas: { Order: checked } }),
  onCircuitBreaker(event) {
    state = event.state;
    console.log(state, event.messageType, event.format, event.failures);
  },
});
let handled = 0;
consumer.createReceiver("orders").subscribe({
  processMessage() {
    handled++;
  },
  processError: () => {},
});

const sender = new WaybillClient(transport, { serializer: json() }).createSender("orders");
await sender.sendMessages({ subject: "Order", body: { order: 0 } });
await until(() => handled === 1);
reader.isBroken = true;
await sender.sendMessages(
  Array.from({ length: 1000 }, (_, order) => ({ subject: "Order", body: { order } })),
);
await until(() => state === "open");
const { activeMessageCount, deadLetterMessageCount } = broker.getEntity("orders") as QueueDescription;
console.log("waiting:", activeMessageCount, "dead-lettered:", deadLetterMessageCount);

reader.isBroken = false;
await until(() => {
  clock.advance(1000);
  return handled === 992;
});
console.log("handled:", handled);
await consumer.close();

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise(setImmediate);
}
// open Order json 10
// waiting: 991 dead-lettered: 9
// closed Order json 10
// handled: 992
