import { newSeed, readOptions } from "waybill-harness/options.js";
import { randomFrom } from "waybill-harness/random.js";
import { openScratch } from "waybill-harness/waiting.js";
import { conclude } from "../ledger/verdict.js";
import { SupervisedServer } from "../supervisor/supervised-server.js";
import { Events } from "./events.js";
import { playGuide } from "./guide.js";
import { OrderPrograms } from "./order-programs.js";
import { Queues } from "./queues.js";
import { TrialLedger } from "./trial-ledger.js";
import { drained, expectNoDeadLetters } from "./world.js";

// Plays the guide from the official SDK to Avro on a live system: a producer on the SDK sends fifty messages a second of every kind of body that it
// writes, and the programs of each deployment place half as many orders. Old instances run on beside the new ones at every step, until the guard
// objects to them; consumers, producers and the broker are killed; the consumers and the plan are rolled back; a forgotten producer comes back after
// the end, and its orders are repaired. A ledger of every id shows what became of it: nothing is lost, no healthy message is dead-lettered, no
// handler gets a wrong value. Nothing is limited in time, so a busy machine only makes it take longer.

const { seconds, rate, seed } = readOptions({ seconds: 600, rate: 50, seed: newSeed() });
using root = openScratch("trial");
const ledger = new TrialLedger();
const server = SupervisedServer.inDirectory(root.path, {
  queues: { orders: { lockDurationMs: 5_000 }, events: { lockDurationMs: 5_000 }, capabilities: {} },
});
console.log(`trial: ${seconds} s at ${rate} messages a second, seed ${seed}`);
await server.start();
const connectionString = () => server.connectionString;
const events = new Events(ledger, connectionString, rate);
events.start();
const world = {
  orders: new OrderPrograms(ledger, connectionString),
  events,
  queues: new Queues(connectionString),
  ledger,
  server,
  random: randomFrom(seed),
  rate: Math.ceil(rate / 2),
  phaseMs: (seconds * 1000) / 12,
};
await playGuide(world);
await events.stopProducing();
await drained(world, "events", "event/");
await events.stop();
await expectNoDeadLetters(world);
await server.kill();
console.log(ledger.summary());
conclude(
  [...server.findings, ...ledger.violations()],
  "No healthy message was lost, dead-lettered or misread",
  seed,
);
