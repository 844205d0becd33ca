import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createBroker } from "@waybill/broker";
import { serve } from "@waybill/broker-server";
import { openScratch } from "waybill-harness/waiting.js";
import { runPython } from "../run-python.js";

// Runs the unchanged azure-servicebus of Python against the broker server, over TLS with a certificate that `waybill broker` makes. Needs Debian's
// python3-azure and the port 5671, which that version of the SDK insists on; PYTHON names another interpreter that has the module. Exits with its
// verdict.

const bin = fileURLToPath(new URL("../../../packages/cli/dist/bin.js", import.meta.url));
using home = openScratch("python");
const [ca, cert, key] = ["ca", "server", "server-key"].map((name) =>
  join(home.path, ".waybill", "tls", `${name}.pem`),
) as [string, string, string];
// The authority and the certificate that `waybill broker --tls` uses.
execFileSync(process.execPath, [bin, "broker", "certificate", "create"], {
  env: { ...process.env, HOME: home.path },
  stdio: "ignore",
});
process.exitCode = await run();

async function run(): Promise<number> {
  await using broker = createBroker();
  await broker.createQueue("orders");
  await broker.createQueue("visits", { requiresSession: true });
  await broker.createTopic("news");
  await broker.createSubscription("news", "all");
  await using server = await serve(broker, { tls: { cert: readFileSync(cert), key: readFileSync(key) } });
  const administration = server.connectionString.replace("127.0.0.1", "localhost");
  // This version of the SDK has no option for the port of AMQP.
  const messages = administration.replace(`:${server.port}`, "");
  let worst = 0;
  for (const [name, address] of [
    ["../../python/azure_service_bus.py", messages],
    ["../../python/azure_service_bus_administration.py", administration],
    ["../../../examples/python/orders.py", messages],
  ] as const) {
    // Otherwise the next session would be one that another program has left.
    await broker.purge("visits");
    // Not as an argument, where every process could read the key.
    const env = { SERVICEBUS_CONNECTION_STRING: address, REQUESTS_CA_BUNDLE: ca, WAYBILL_CA: ca };
    const code = await runPython(new URL(name, import.meta.url), [ca], { withinMs: 120_000, env });
    worst = Math.max(worst, code);
  }
  return worst;
}
