import { newSeed, readOptions } from "waybill-harness/options.js";
import { randomFrom } from "waybill-harness/random.js";
import { openScratch, until } from "waybill-harness/waiting.js";
import { conclude } from "../ledger/verdict.js";
import { SupervisedServer } from "../supervisor/supervised-server.js";
import { DeadLetters } from "./dead-letters.js";
import { Events } from "./events.js";
import { playGuide } from "./guide.js";
import { OrderPrograms } from "./order-programs.js";
import { TrialLedger } from "./trial-ledger.js";

// Plays the guide from the official SDK to Avro on a live system: producers send about fifty messages a second, half of them orders by the
// programs of each deployment, half of them every kind of body that the SDK writes. Old instances run on beside the new ones at every step;
// consumers, producers and the broker are killed. A ledger of every id shows what became of it: nothing is lost, no healthy message is
// dead-lettered, no handler gets a wrong value.

const { seconds, rate, seed } = readOptions({ seconds: 600, rate: 50, seed: newSeed() });
using root = openScratch("trial");
const ledger = new TrialLedger();
const server = SupervisedServer.inDirectory(root.path, {
  queues: { orders: { lockDurationMs: 5_000 }, events: { lockDurationMs: 5_000 }, capabilities: {} },
});
console.log(`trial: ${seconds} s at ${rate} messages a second, seed ${seed}`);
await server.start();
const connectionString = () => server.connectionString;
const deadLetters = new DeadLetters(connectionString, ledger);
const events = new Events(ledger, connectionString, rate / 2);
events.start();
await playGuide({
  orders: new OrderPrograms(ledger, connectionString),
  events,
  deadLetters,
  ledger,
  server,
  random: randomFrom(seed),
  rate: rate / 2,
  phaseMs: (seconds * 1000) / 10,
});
await events.stopProducing();
await until(() => ledger.pending.length === 0, 120_000);
await events.stop();
await deadLetters.check();
await server.kill();
console.log(ledger.summary());
conclude(
  [...server.findings, ...ledger.violations()],
  "No healthy message was dead-lettered, lost or misread",
  seed,
);
