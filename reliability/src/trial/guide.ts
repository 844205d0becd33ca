import type { Random } from "waybill-harness/random.js";
import { pause } from "waybill-harness/waiting.js";
import type { SupervisedServer } from "../supervisor/supervised-server.js";
import type { DeadLetters } from "./dead-letters.js";
import type { Events } from "./events.js";
import type { OrderPrograms } from "./order-programs.js";
import type { Program } from "./program.js";
import { repairOrders, verdicts } from "./tools.js";
import type { TrialLedger } from "./trial-ledger.js";

/** What the guide is played on. */
export interface World {
  readonly orders: OrderPrograms;
  readonly events: Events;
  readonly deadLetters: DeadLetters;
  readonly ledger: TrialLedger;
  readonly server: SupervisedServer;
  readonly random: Random;
  /** Orders per second. */
  readonly rate: number;
  /** How long a phase places orders, in milliseconds. */
  readonly phaseMs: number;
}

/** How long something that the guide promises may take at most: for programs to start, beacons to expire, queues to drain. */
const patienceMs = 300_000;

/** Plays every deployment of the guide, in its order. */
export async function playGuide(world: World): Promise<void> {
  const { events, ledger, server } = world;
  const consumers = new Consumers(world);

  await consumers.deploy("0-sdk", 3);
  await place(world, "0 the SDK alone", "0-sdk");

  await consumers.deploy("1-consumer", 1);
  await events.deployWaybill();
  // No instance that reads only JSON is killed: its beacon would keep the guard from agreeing for ten minutes.
  await place(world, "1 a waybill consumer", "0-sdk", { during: () => events.killConsumer() });

  await consumers.deploy("1-consumer", 1);
  await events.deployWaybill();
  await place(world, "2 a waybill producer", "2-producer", { during: () => server.restart() });

  await consumers.deploy("3-message-type", 2);
  await place(world, "3 the message has a type", "3-message-type", { during: () => events.killProducer() });

  await consumers.deploy("4-read-both", 2);
  await place(world, "4 consumers read both", "3-message-type", { during: () => consumers.killOne() });

  // An instance of step 3 still runs beside those of step 4: nothing new may be written yet.
  if ((await world.orders.place("5-write-avro", 5, 25)) === "placed")
    ledger.violation(
      "the guard let a producer write Avro while an instance that reads only JSON was running",
    );
  await consumers.stopOld();
  await place(world, "5 a quarter is written as Avro", "5-write-avro", {
    percent: 25,
    during: () => events.killConsumer(),
  });

  await rollBackConsumers(world, consumers);
  for (const percent of [50, 100])
    await place(world, `5 ${percent} % is written as Avro`, "5-write-avro", {
      percent,
      during: () => server.restart(),
    });

  await contract(world, consumers);
  await consumers.stop();
}

/** A deployment is rolled back while Avro waits: the old program leaves it to the new one. Its beacon stops the plan at the producer's next start. */
async function rollBackConsumers(world: World, consumers: Consumers): Promise<void> {
  const { orders, ledger } = world;
  await consumers.killAll();
  await placeUntilAccepted(world, "5-write-avro", 100, 25);
  await consumers.deploy("3-message-type", 2);
  await consumers.deploy("4-read-both", 1);
  await drained(world);
  if ((await orders.place("5-write-avro", 5, 50)) === "placed")
    ledger.violation("the guard let a producer go on while consumers were rolled back");
  await consumers.deploy("4-read-both", 2);
  await consumers.stopOld();
}

/** The old format leaves when the verdict says so, and a forgotten producer comes back afterwards. */
async function contract(world: World, consumers: Consumers): Promise<void> {
  const { orders, ledger, deadLetters, server } = world;
  const statedAt = new Date();
  await orders.place("0-sdk", 10);
  await drained(world);
  const early = await verdicts(server.connectionString, statedAt);
  if (early.some(({ answer }) => answer === "yes"))
    ledger.violation(
      "the verdict said yes although a producer wrote JSON after the instant at which all had stopped",
    );

  const stoppedAt = new Date();
  // Instances that stop write down what they have read until then.
  await consumers.deploy("4-read-both", 2);
  await consumers.stopOld();
  for (const { answer, reasons } of await verdicts(server.connectionString, stoppedAt))
    if (answer !== "yes")
      ledger.violation(`the verdict says ${answer}: ${reasons.map(({ text }) => text).join(" ")}`);

  await consumers.deploy("6-contract", 3);
  await consumers.stopOld();
  await place(world, "6 JSON and version 1 leave", "6-contract", { during: () => consumers.killOne() });
  await drained(world);

  // The forgotten producer comes back. Its orders are dead-lettered as version 1, or wait for a reader of it whose beacon has not expired; none is
  // read as version 2. After a rollback all are handled.
  await orders.place("0-sdk", 20);
  await orders.place("6-contract", 20);
  const strange = await deadLetters.count(
    ({ deadLetterReason }) => deadLetterReason !== "UnknownMessageVersion",
  );
  if (strange > 0)
    ledger.violation(`${strange} orders of the forgotten producer were dead-lettered for another reason`);
  await consumers.deploy("4-read-both", 2);
  await consumers.stopOld();
  await waitFor(async () => {
    await repairOrders(server.connectionString);
    return ledger.pending.every((id) => !id.startsWith("order-"));
  });
}

/** Places orders for a phase, and does something to the system in its middle. */
async function place(
  world: World,
  name: string,
  producer: string,
  { percent, during }: { readonly percent?: number; readonly during?: () => Promise<void> } = {},
): Promise<void> {
  const { orders, rate, phaseMs } = world;
  const endsAt = performance.now() + phaseMs;
  await placeUntilAccepted(world, producer, 1, percent);
  const disturbed = pause(phaseMs / 2).then(during);
  while (performance.now() < endsAt) {
    const roundEndsAt = performance.now() + 2_000;
    await orders.place(producer, rate * 2, percent);
    await pause(roundEndsAt - performance.now());
  }
  await disturbed;
  await drained(world);
  await world.deadLetters.check();
  console.log(`${name}: ${world.ledger.summary()}`);
}

/** Producers refuse to start while a guard objects, as a deployment that is started again and again until it is allowed. */
async function placeUntilAccepted(
  { orders }: World,
  producer: string,
  count: number,
  percent: number | undefined,
): Promise<void> {
  await waitFor(async () => (await orders.place(producer, count, percent)) === "placed");
}

async function drained({ ledger }: World): Promise<void> {
  await waitFor(async () => ledger.pending.every((id) => !id.startsWith("order-")));
}

async function waitFor(holds: () => Promise<boolean>): Promise<void> {
  const endsAt = performance.now() + patienceMs;
  while (!(await holds())) {
    if (performance.now() > endsAt) throw new Error("The trial does not go on: see what is pending.");
    await pause(250);
  }
}

/** The running consumers of orders: those of the newest deployment, and what is left of the one before. */
class Consumers {
  readonly #world: World;
  #old: Program<unknown>[] = [];
  #new: Program<unknown>[] = [];
  #step = "";

  constructor(world: World) {
    this.#world = world;
  }

  /** Starts instances of a step. All but one of those that run are stopped; that one stays as the old instance that a deployment forgot. */
  async deploy(step: string, count: number): Promise<void> {
    const stopped = [...this.#old, ...this.#new.slice(1)];
    this.#old = this.#new.slice(0, 1);
    this.#step = step;
    this.#new = Array.from({ length: count }, () => this.#world.orders.consumer(step));
    await Promise.all(stopped.map((program) => program.stop()));
  }

  async stopOld(): Promise<void> {
    await Promise.all(this.#old.splice(0).map((program) => program.stop()));
  }

  /** Kills an instance, and starts another. */
  async killOne(): Promise<void> {
    const at = this.#world.random(this.#new.length);
    await this.#new[at]?.kill();
    this.#new[at] = this.#world.orders.consumer(this.#step);
  }

  async killAll(): Promise<void> {
    await Promise.all([...this.#old.splice(0), ...this.#new.splice(0)].map((program) => program.kill()));
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#old, ...this.#new].map((program) => program.stop()));
  }
}
