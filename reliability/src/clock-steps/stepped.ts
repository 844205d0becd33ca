import { writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { createBroker } from "@waybill/broker";
import { WaybillClient } from "@waybill/core";
import { json } from "@waybill/serializer-json";
import { localTransport } from "@waybill/transport-local";

// Runs under libfaketime, whose offset of the wall clock stands in a file that this program writes. Steps the clock while a lock is held, one
// is renewed, a wait and a time to live run and schedules are set, and says of each how long it took by the monotonic clock.

const [offsetFile, byText] = process.argv.slice(2) as [string, string];
const stepS = Number(byText);
const lockMs = 5_000;
/** Tolerance for a busy machine; using the wrong clock would be off by an hour. */
const lateMs = 2_500;
const failures: string[] = [];

await using broker = createBroker();
for (const queue of ["lost", "renewed", "waited", "living", "before", "after"]) {
  await broker.createQueue(queue, { lockDurationMs: lockMs });
}
const client = new WaybillClient(localTransport(broker), { serializer: json() });
const wallBefore = Date.now();
const beforeStep = stepS > 0 ? stepS * 500 : 2_000;
const started = performance.now();
const work = [lose(), renew(), wait(), live(), meet("before", new Date(Date.now() + beforeStep))];
await sleep(1_000);
writeFileSync(offsetFile, `${stepS < 0 ? "" : "+"}${stepS}`);
const steppedByS = Math.round((Date.now() - wallBefore - (performance.now() - started)) / 1000);
check(`the wall clock was stepped by ${steppedByS} s`, steppedByS === stepS);
work.push(meet("after", new Date(Date.now() + 3_000)));
await Promise.all(work);
await client.close();
for (const failure of failures) console.error(failure);
process.exitCode = failures.length === 0 ? 0 : 1;

async function lose(): Promise<void> {
  const receiver = client.createReceiver("lost", { maxAutoLockRenewalDurationInMs: 0 });
  await client.createSender("lost").sendMessages({ body: 1 });
  await receiver.receiveMessages(1);
  const lockedAt = performance.now();
  const [again] = await receiver.receiveMessages(1, { maxWaitTimeInMs: 20_000 });
  took("a lock of 5 s that nobody renews", lockedAt, lockMs, again);
}

async function renew(): Promise<void> {
  const receiver = client.createReceiver("renewed");
  await client.createSender("renewed").sendMessages({ body: 1 });
  const [message] = await receiver.receiveMessages(1);
  await sleep(3 * lockMs);
  const isKept =
    message !== undefined &&
    (await receiver.completeMessage(message).then(
      () => true,
      () => false,
    ));
  check("a lock of 5 s that is renewed holds for 15 s", isKept);
}

async function wait(): Promise<void> {
  const began = performance.now();
  await client.createReceiver("waited").receiveMessages(1, { maxWaitTimeInMs: 3_000 });
  took("a wait of 3 s", began, 3_000, true);
}

async function live(): Promise<void> {
  const began = performance.now();
  await client.createSender("living").sendMessages({ body: 1, timeToLive: 3_000 });
  while (broker.getEntity("living").activeMessageCount > 0 && performance.now() - began < 20_000) {
    await sleep(20);
  }
  took("a life of 3 s", began, 3_000, broker.getEntity("living").activeMessageCount === 0);
}

/** A schedule is met by the wall clock: after a step forward beyond it at once, after a step back later. */
async function meet(queue: string, at: Date): Promise<void> {
  await client.createSender(queue).scheduleMessages({ body: 1 }, at);
  const [message] = await client.createReceiver(queue).receiveMessages(1, { maxWaitTimeInMs: 8_000 });
  const aheadMs = at.getTime() - Date.now();
  if (queue === "before" && stepS < 0)
    check("a schedule that a step back put off has not come", message === undefined);
  else
    check(
      `a message scheduled ${queue} the step was delivered ${-aheadMs} ms after its time`,
      message !== undefined,
    );
}

function took(what: string, since: number, expectedMs: number, came: unknown): void {
  const tookMs = Math.round(performance.now() - since);
  const isInTime = tookMs > expectedMs - 100 && tookMs < expectedMs + lateMs;
  check(`${what} took ${tookMs} ms`, isInTime && Boolean(came));
}

function check(what: string, holds: boolean): void {
  if (holds) console.log(what);
  else failures.push(`failed: ${what}`);
}
