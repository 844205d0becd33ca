import { createBroker, createManualClock } from "@waybill/broker";

const clock = createManualClock();
const broker = createBroker({ clock });
await broker.createQueue("orders", { lockDurationMs: 30_000, maxDeliveryCount: 1 });
await broker.sender("orders").send({ body: { section: "data", bytes: new Uint8Array([1]) } });

await broker.receiver("orders").receive(); // and never settled
clock.advance(30_000);
const [dead] = await broker.receiver("orders/$DeadLetterQueue").receive();
console.log(dead?.deadLetterReason);
await broker.close();
// MaxDeliveryCountExceeded
