import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { createBroker } from "@waybill/broker";
import { serve } from "@waybill/broker-server";

// Runs Qpid Proton against the broker server, as a client of another language. Needs Debian's python3-qpid-proton; PYTHON
// names another interpreter that has the module. Exits with Proton's verdict.

const python = process.env.PYTHON ?? "/usr/bin/python3";
const script = fileURLToPath(new URL("../peers/proton_service_bus.py", import.meta.url));

await using broker = createBroker();
await broker.createQueue("orders");
await using server = await serve(broker, { port: 0, acceptAnyone: true });
const peer = spawn(python, [script, `127.0.0.1:${server.port}`], { stdio: "inherit" });
const deadline = setTimeout(() => peer.kill(), 60_000);
process.exitCode = await new Promise<number>((resolve) => {
  peer.on("error", () => resolve(1));
  peer.on("exit", (code) => resolve(code ?? 1));
});
clearTimeout(deadline);
