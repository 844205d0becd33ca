import type { Random } from "waybill-harness/random.js";
import { pause } from "waybill-harness/waiting.js";
import type { SupervisedServer } from "../supervisor/supervised-server.js";
import type { Events } from "./events.js";
import type { Order, OrderPrograms } from "./order-programs.js";
import type { Queues } from "./queues.js";
import type { TrialLedger } from "./trial-ledger.js";

/** What the guide is played on. */
export interface World {
  readonly orders: OrderPrograms;
  readonly events: Events;
  readonly queues: Queues;
  readonly ledger: TrialLedger;
  readonly server: SupervisedServer;
  readonly random: Random;
  /** Orders per second. */
  readonly rate: number;
  /** How long a phase places orders, in milliseconds. */
  readonly phaseMs: number;
}

/** What a phase does. */
export interface Phase {
  readonly name: string;
  /** The deployment of its producer. */
  readonly producer: string;
  readonly percent?: number;
  /** Happens in its middle. */
  readonly during?: () => Promise<unknown>;
}

/** Far beyond what anything takes that the guide promises: a beacon expires after ten minutes. */
const patienceMs = 1_800_000;

/** How often a producer is started. */
const roundMs = 2_000;

/** Places orders for a while, until all are handled; then no order may be in the dead-letter queue. A busy machine takes longer for as many orders. */
export async function play(world: World, { name, producer, percent, during }: Phase): Promise<void> {
  const { rate, phaseMs } = world;
  const rounds = Math.max(2, Math.floor(phaseMs / roundMs));
  let disturbed: Promise<unknown> | undefined;
  for (let round = 1; round <= rounds; round++) {
    const endsAt = performance.now() + roundMs;
    if (round > rounds / 2) disturbed ??= during?.();
    await placeOnceAllowed(world, { step: producer, count: (rate * roundMs) / 1000, percent });
    await pause(endsAt - performance.now());
  }
  await disturbed;
  await drained(world, "orders", "order-");
  await expectNoDeadLetters(world);
  console.log(`${name}: ${world.ledger.summary()}`);
}

/** Deploys a producer again and again until the guard allows it. */
export async function placeOnceAllowed(world: World, order: Order): Promise<void> {
  await waitFor(`${order.step} to place orders`, async () => (await placeOnce(world, order)) === "placed");
}

/** The guard has to refuse a producer, with this objection. */
export async function expectRefusal(world: World, situation: string, objection: RegExp): Promise<void> {
  const { orders, ledger } = world;
  await waitFor(`the guard to refuse ${situation}`, async () => {
    const placement = await orders.place({ step: "5-write-avro", count: 5, percent: 25 });
    // An instance that has just started may not have announced itself yet: then there is another objection.
    if (placement.how === "refused") return objection.test(placement.objections);
    ledger.violation(
      placement.how === "placed"
        ? `the guard let a producer write Avro ${situation}`
        : `a producer failed ${situation}: ${placement.error}`,
    );
    return true;
  });
}

/** Resolves when every message of a queue that was sent is handled, or is not there any more. */
export async function drained({ ledger, queues }: World, queue: string, prefix: string): Promise<void> {
  let [handled, changedAt] = [ledger.handledCount, performance.now()];
  while (ledger.pending(prefix).length > 0 && !(await queues.isEmpty(queue))) {
    if (ledger.handledCount > handled) [handled, changedAt] = [ledger.handledCount, performance.now()];
    if (performance.now() - changedAt > patienceMs) throw new Error(`Messages stay in ${queue}, unhandled.`);
    await pause(250);
  }
}

/** Every message of the trial is healthy: one in a dead-letter queue is a violation. */
export async function expectNoDeadLetters({ queues, ledger }: World): Promise<void> {
  for (const queue of ["orders", "events"])
    for (const { messageId, deadLetterReason, deadLetterErrorDescription } of await queues.deadLetters(queue))
      ledger.violation(`${messageId} was dead-lettered: ${deadLetterReason}, ${deadLetterErrorDescription}`);
}

export async function waitFor(what: string, holds: () => Promise<boolean>): Promise<void> {
  const endsAt = performance.now() + patienceMs;
  while (!(await holds())) {
    if (performance.now() > endsAt) throw new Error(`The trial waits in vain for ${what}.`);
    await pause(250);
  }
}

/** A producer may fail only when the broker was killed under it. */
async function placeOnce({ orders, ledger, server }: World, order: Order): Promise<string> {
  const { kills, isUp } = server;
  const placement = await orders.place(order);
  if (placement.how === "failed" && isUp && server.kills === kills)
    ledger.violation(`${order.step}/producer failed: ${placement.error}`);
  return placement.how;
}
