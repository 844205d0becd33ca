import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { BrokerProcess } from "./soak-port/broker-process.js";
import { PortLedger } from "./soak-port/port-ledger.js";
import {
  administer,
  drain,
  openAdministration,
  queue,
  queuesOf,
  type Work,
  workOverAmqp,
  workOverHttp,
} from "./soak-port/workers.js";

// Clients work on the one port of `waybill broker` in every way at once: AMQP and AMQP over WebSockets with the official SDK, the HTTP runtime
// API and the management API, while the broker is killed with `kill -9` and started again on its data. In the end every acknowledged message
// and entity is accounted for. Exits with 1 when something is lost, comes back or was never sent.
// Usage: soak-port [--minutes 10] [--kills 5] [--clients 3]

const { values: args } = parseArgs({
  options: {
    minutes: { type: "string", default: "10" },
    kills: { type: "string", default: "5" },
    clients: { type: "string", default: "3" },
  },
});
const durationMs = Number(args.minutes) * 60_000;
const kills = Number(args.kills);
const clients = Number(args.clients);

// The SDK lets some errors of a lost connection go by unhandled.
process.on("unhandledRejection", (error) => ledger.error("unhandled", error));

const ledger = new PortLedger();
const directory = mkdtempSync(join(tmpdir(), "waybill-soak-port-"));
const broker = new BrokerProcess(directory);
console.log(`soak-port: ${args.minutes} min, ${clients} clients each way, ${kills} kills`);
try {
  await soak();
} finally {
  await broker.kill();
  rmSync(directory, { recursive: true, force: true });
}

async function soak(): Promise<void> {
  await broker.start();
  // Each kill costs what is locked a delivery; it must not run out of them.
  await openAdministration(broker).createQueue(queue, { lockDuration: "PT30S", maxDeliveryCount: 2000 });
  let isOver = false;
  const work: Work = { broker, ledger, isOver: () => isOver };
  const workers = Array.from({ length: clients }, () => [
    workOverAmqp("amqp", work),
    workOverAmqp("websocket", work),
    workOverHttp(work),
  ]).flat();
  workers.push(administer(work));
  for (let kill = 1; kill <= kills + 1; kill++) {
    await new Promise((resolve) => setTimeout(resolve, durationMs / (kills + 1)));
    console.log(`after ${Math.round(performance.now() / 1000)} s: ${broker.residentMegabytes} MB resident`);
    if (kill > kills) break;
    await broker.kill();
    await broker.start();
  }
  isOver = true;
  await Promise.all(workers);
  // Once more, so that what is there has come through a kill, and no lock is left.
  await broker.kill();
  await broker.start();
  const entities = await queuesOf(broker);
  for (const line of ledger.close(await drain(broker), entities)) console.log(line);
  const violations = [...broker.findings, ...ledger.violations];
  for (const violation of violations.slice(0, 20)) console.error(violation);
  console.log(violations.length === 0 ? "Nothing was lost" : `${violations.length} violations`);
  process.exitCode = violations.length === 0 ? 0 : 1;
}
