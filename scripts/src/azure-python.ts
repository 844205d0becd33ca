import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createBroker } from "@waybill/broker";
import { serve } from "@waybill/broker-server";

// Runs the unchanged azure-servicebus of Python against the broker server, over TLS with a certificate that `waybill broker` makes. Needs Debian's
// python3-azure and the port 5671, which that version of the SDK insists on; PYTHON names another interpreter that has the module. Exits with its
// verdict.

const python = process.env.PYTHON ?? "/usr/bin/python3";

const bin = fileURLToPath(new URL("../../packages/cli/dist/bin.js", import.meta.url));
const home = mkdtempSync(join(tmpdir(), "waybill-python-"));
const [ca, cert, key] = ["ca", "server", "server-key"].map((name) =>
  join(home, ".waybill", "tls", `${name}.pem`),
) as [string, string, string];
try {
  // The authority and the certificate that `waybill broker --tls` uses.
  execFileSync(process.execPath, [bin, "broker", "certificate", "create"], {
    env: { ...process.env, HOME: home },
    stdio: "ignore",
  });
  process.exitCode = await run();
} finally {
  rmSync(home, { recursive: true });
}

async function run(): Promise<number> {
  await using broker = createBroker();
  await broker.createQueue("orders");
  await broker.createQueue("visits", { requiresSession: true });
  await broker.createTopic("news");
  await broker.createSubscription("news", "all");
  await using server = await serve(broker, { tls: { cert: readFileSync(cert), key: readFileSync(key) } });
  const administration = server.connectionString.replace("127.0.0.1", "localhost");
  // For messages this version of the SDK takes no port.
  const messages = administration.replace(`:${server.port}`, "");
  let worst = 0;
  for (const [name, address] of [
    ["../peers/azure_service_bus.py", messages],
    ["../peers/azure_service_bus_administration.py", administration],
    ["../../samples/python/orders.py", messages],
  ] as const) {
    worst = Math.max(worst, await runScript(fileURLToPath(new URL(name, import.meta.url)), address));
  }
  return worst;
}

async function runScript(script: string, address: string): Promise<number> {
  const peer = spawn(python, [script, ca], {
    stdio: "inherit",
    // Not as an argument, where every process could read the key.
    env: {
      ...process.env,
      SERVICEBUS_CONNECTION_STRING: address,
      REQUESTS_CA_BUNDLE: ca,
      WAYBILL_CA: ca,
    },
  });
  const deadline = setTimeout(() => peer.kill(), 120_000);
  const code = await new Promise<number>((resolve) => {
    peer.on("error", () => resolve(1));
    peer.on("exit", (exitCode) => resolve(exitCode ?? 1));
  });
  clearTimeout(deadline);
  return code;
}
