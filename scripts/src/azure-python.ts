import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createBroker } from "@waybill/broker";
import { serve } from "@waybill/broker-server";

// Runs the unchanged azure-servicebus of Python against the broker server, over TLS. Needs Debian's python3-azure, openssl, and the port
// 5671, which that version of the SDK insists on; PYTHON names another interpreter that has the module. Exits with its verdict.

const python = process.env.PYTHON ?? "/usr/bin/python3";
const script = fileURLToPath(new URL("../peers/azure_service_bus.py", import.meta.url));

const directory = mkdtempSync(join(tmpdir(), "waybill-python-"));
const [cert, key] = [join(directory, "cert.pem"), join(directory, "key.pem")];
try {
  const subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"];
  const files = ["-keyout", key, "-out", cert];
  execFileSync(
    "openssl",
    ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", ...subject, ...files],
    {
      stdio: "ignore",
    },
  );
  process.exitCode = await run();
} finally {
  rmSync(directory, { recursive: true });
}

async function run(): Promise<number> {
  await using broker = createBroker();
  await broker.createQueue("orders");
  await broker.createQueue("visits", { requiresSession: true });
  await broker.createTopic("news");
  await broker.createSubscription("news", "all");
  await using server = await serve(broker, { tls: { cert: readFileSync(cert), key: readFileSync(key) } });
  const address = server.connectionString.replace(`127.0.0.1:${server.port}`, "localhost");
  const peer = spawn(python, [script, cert], {
    stdio: "inherit",
    // Not as an argument, where every process could read the key.
    env: { ...process.env, SERVICEBUS_CONNECTION_STRING: address },
  });
  const deadline = setTimeout(() => peer.kill(), 120_000);
  const code = await new Promise<number>((resolve) => {
    peer.on("error", () => resolve(1));
    peer.on("exit", (exitCode) => resolve(exitCode ?? 1));
  });
  clearTimeout(deadline);
  return code;
}
