import { json } from "@waybill/serializer-json";
import { msgpack } from "@waybill/serializer-msgpack";
import { expect, it } from "vitest";
import { createWorld, quiet, type World } from "../test/world.js";

async function drainNoClock(done: () => boolean) { const t=performance.now(); while(!done() && performance.now()-t < 4000) await quiet(); return 0 }
async function drain(world: World, done: () => boolean, stepMs = 1000, maxSteps = 500): Promise<number> {
  const start = world.clock.now();
  for (let i = 0; i < maxSteps && !done(); i += 1) { await quiet(); await quiet(); if (done()) break; world.clock.advance(stepMs); await quiet(); }
  return world.clock.now() - start;
}
const bad = new TextEncoder().encode('{"n":');

it.each([20, 100, 1000])("k=%i", async (k) => {
  for (const other of ["order", "invoice"]) for (const whenFull of ["defer", "deadLetter", "pause"] as const) {
    const states: string[] = [];
    await using world = await createWorld({ client: { circuitBreaker: { whenFull }, onCircuitBreaker: ({ state }) => void states.push(state) } });
    const sender = world.client.createSender("orders");
    await sender.sendMessages(Array.from({ length: 30 }, (_, n) => ({ subject: n % 2 ? "order" : other, body: { n } })));
    const seen: number[] = [];
    world.client.createReceiver("orders").subscribe<{ n: number }>({ processMessage: ({ body }) => void seen.push(body.n), processError() {} }, { maxConcurrentCalls: 4 });
    while (seen.length < 30) await quiet();
    await sender.sendEncodedMessages(Array.from({ length: k }, (_, i) => ({ messageId: `p${i}`, subject: "order", contentType: "application/json", body: bad })));
    await sender.sendMessages(Array.from({ length: 100 }, (_, n) => ({ subject: other, body: { n } })));
    const t0 = performance.now();
    const ms = await drainNoClock(() => seen.length === 130);
    const wall = performance.now() - t0;
    for (let i = 0; i < 20; i++) await quiet();
    const main = await world.broker.receiver("orders").peek(5000);
    const dead = await world.broker.receiver("orders/$DeadLetterQueue").peek(5000);
    console.log(k, other, whenFull, "healthy after", ms, "ms; wall", wall.toFixed(0), "active", main.filter((m) => m.state === "active").length, "deferred", main.filter((m) => m.state === "deferred").length, "dead", dead.length, "seen", seen.length, states.join());
  }
});

it("cold", async () => {
  const events: any[] = []; const errors: any[] = [];
  await using world = await createWorld({ client: { serializer: json(), additionalDeserializers: [msgpack()], onCircuitBreaker: (e) => void events.push(e) } });
  const sender = world.client.createSender("orders");
  for (let i = 0; i < 10; i++) await sender.sendEncodedMessages(Array.from({ length: 1000 }, (_, n) => ({ body: new TextEncoder().encode(JSON.stringify(`hello ${n}`)) })));
  const sub = world.client.createReceiver("orders").subscribe({ processMessage() {}, processError: (e) => void errors.push(e) }, { maxConcurrentCalls: 16 });
  for (let i = 0; i < 300; i++) { await quiet(); world.clock.advance(1000); }
  console.log(events.length, errors.length, (await world.broker.receiver("orders/$DeadLetterQueue").peek(5000)).length, (await world.broker.receiver("orders").peek(20000)).length);
  await sub.close();
  const receiver = world.client.createReceiver("orders");
  for (let i = 0; i < 5; i++) await receiver.receiveMessages(10, { maxWaitTimeInMs: 0 }).then(console.log, (e) => console.log(e.message));
  console.log((await world.broker.receiver("orders/$DeadLetterQueue").peek(5000)).length);
  console.log(await world.client.rehearse("orders"));
  expect(1).toBe(1);
});
