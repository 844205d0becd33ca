import { createBroker } from "@waybill/broker";
import { WaybillClient } from "@waybill/core";
import { json } from "@waybill/serializer-json";
import { localTransport } from "@waybill/transport-local";
import { readOptions } from "waybill-harness/options.js";
import { Journal } from "../ledger/journal.js";
import { Ledger } from "../ledger/ledger.js";
import { absent, type Effect, sentState } from "../ledger/lines.js";
import { conclude } from "../ledger/verdict.js";

// Stops a processor with a thousand messages in flight, many times: with handlers that are quick, that fail, that take longer than
// the deadline, and that never end. No message may be lost or stay locked, and closing must not exceed the deadline.

/** `slack` is how much the load of the machine may delay a deadline, in milliseconds. */
const { times, inflight, deadline, slack } = readOptions({
  times: 200,
  inflight: 1000,
  deadline: 1000,
  slack: 100,
});
/** More than are in flight: messages that wait in the queue, and some that are prefetched. */
const messageCount = inflight + 500;
const prefetchCount = 100;

const totals = { settled: 0, abandoned: 0, slowestMs: 0 };
const violations: string[] = [];
for (let time = 1; time <= times && violations.length === 0; time++) {
  violations.push(...(await stopOnce(time)).map((text) => `stop ${time}: ${text}`));
}
console.log(
  `${times} stops with ${inflight} messages in flight: ${totals.settled} settled by their handlers, ${totals.abandoned} abandoned; ` +
    `the slowest took ${totals.slowestMs.toFixed(0)} ms of ${deadline} ms`,
);
conclude(violations, "No message was lost or stayed locked");

async function stopOnce(time: number): Promise<string[]> {
  const broker = createBroker();
  await broker.createQueue("orders", { maxDeliveryCount: 100 });
  const client = new WaybillClient(localTransport(broker), { serializer: json() });
  const ledger = new Ledger();
  const journal = new Journal((line) => ledger.take(line));
  const bodies = Array.from({ length: messageCount }, (_, n) => ({ body: n }));
  await journal.attempt(
    "send",
    bodies.map(({ body }) => stateOf(body, sentState)),
    () => client.createSender("orders").sendMessages(bodies),
  );
  const waiting: (() => void)[] = [];
  let [came, isClosed] = [0, false];
  let isFull = () => {};
  const full = new Promise<void>((resolve) => (isFull = resolve));
  const subscription = client.createReceiver("orders").subscribe<number>(
    {
      processError: () => {},
      async processMessage({ body }) {
        came++;
        if (came === inflight) isFull();
        await new Promise<void>((resolve) => waiting.push(resolve));
        if (body % 10 === time % 10) throw new Error("failed");
        // A message whose handler ends too late does not count as handled.
        if (!isClosed) journal.begin("handle", [stateOf(body, absent)])();
      },
    },
    { maxConcurrentCalls: inflight, prefetchCount, closeTimeoutInMs: deadline },
  );
  await full;
  const startedAt = performance.now();
  const closing = subscription.close();
  // Three quarters end at random times, some of them too late; a quarter never ends.
  for (const [i, end] of waiting.entries()) {
    if (i % 4 !== 0) setTimeout(end, Math.random() * deadline * 1.2);
  }
  await closing;
  isClosed = true;
  const tookMs = performance.now() - startedAt;
  const handled = ledger.settlingCount;
  // Any receiver gets the remaining messages immediately, so none of them is locked.
  const left: Effect[] = [];
  const receiver = broker.receiver("orders", { mode: "receiveAndDelete" });
  for (;;) {
    const messages = await receiver.receive(1000, { maxWaitMs: 0 });
    if (messages.length === 0) break;
    for (const { body } of messages) {
      if (body.section === "data") left.push(stateOf(new TextDecoder().decode(body.bytes), sentState));
    }
  }
  const locked = await receiver.peek(messageCount);
  await client.close();
  await broker.close();
  totals.settled += handled;
  totals.abandoned += left.length;
  totals.slowestMs = Math.max(totals.slowestMs, tookMs);
  // A message that was handled exactly at the deadline may be delivered again; of thousands, these are only a few.
  const again = left.filter(([thing]) => ledger.isSettling(thing));
  journal.found(again.length > inflight / 100 ? left : left.filter((one) => !again.includes(one)));
  return [
    ...ledger.violations(),
    ...(locked.length > 0 ? [`${locked.length} messages are still locked`] : []),
    ...(tookMs > deadline + slack ? [`closing took ${tookMs.toFixed(0)} ms`] : []),
  ];
}

function stateOf(body: number | string, state: string): Effect {
  return [`orders/${body}`, state];
}
