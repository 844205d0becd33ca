import { readOptions } from "waybill-harness/options.js";
import { openScratch, pause } from "waybill-harness/waiting.js";
import { Journal } from "../ledger/journal.js";
import { Ledger } from "../ledger/ledger.js";
import { conclude } from "../ledger/verdict.js";
import { authorityIn, commandIn, residentMegabytes } from "./command.js";
import { administer, findAll, makeQueue, type Work, workOverAmqp, workOverHttp } from "./workers.js";

// Clients work on the one port of `waybill broker` in every way at once: AMQP and AMQP over WebSockets with the official SDK, the HTTP runtime
// API and the management API, while the broker is killed with `kill -9` and started again on its data. In the end every acknowledged message
// and entity is accounted for. Exits with 1 when something is lost, reappears or was never sent.

const { minutes, kills, clients } = readOptions({ minutes: 10, kills: 5, clients: 3 });
const ways = ["amqp", "websocket", "http"];

// What is delivered here is completed at once, so it must have been kept.
const ledger = new Ledger({ mustKeepDelivered: true });
const journal = new Journal((line) => ledger.take(line));
// The SDK does not handle some errors of a lost connection.
process.on("unhandledRejection", (error) => journal.error(error, "unhandled"));

using root = openScratch("soak-port");
const server = commandIn(root.path);
console.log(`soak-port: ${minutes} min, ${clients} clients in each direction, ${kills} kills`);
try {
  await soak();
} finally {
  await server.kill();
}

async function soak(): Promise<void> {
  await server.start();
  let isOver = false;
  const authority = authorityIn(root.path);
  const work: Work = { server, authority, journal, isOver: () => isOver };
  await makeQueue(work);
  const workers = Array.from({ length: clients }, () => [
    workOverAmqp("amqp", work),
    workOverAmqp("websocket", work),
    workOverHttp(work),
  ]).flat();
  workers.push(administer(work));
  for (let kill = 1; kill <= kills + 1; kill++) {
    await pause((minutes * 60_000) / (kills + 1));
    const memory = residentMegabytes(server.process.pid);
    console.log(`after ${Math.round(performance.now() / 1000)} s: ${memory} MB resident`);
    if (kill <= kills) await server.restart();
  }
  isOver = true;
  await Promise.all(workers);
  // One more kill, so that everything left was recovered, and no lock is left.
  await server.restart();
  await findAll(work);
  for (const line of ledger.summary()) console.log(line);
  const unused = ways.flatMap((way) =>
    ["send", "complete"]
      .map((verb) => `${verb} over ${way}`)
      .filter((verb) => ledger.acknowledged(verb) === 0),
  );
  const violations = [...server.findings, ...ledger.violations()];
  conclude([...violations, ...unused.map((verb) => `no ${verb} was acknowledged`)], "No message was lost");
}
