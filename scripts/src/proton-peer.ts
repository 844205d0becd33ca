import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { QueueNode } from "./peers/queue-node.js";

// Runs Qpid Proton against a server made of @waybill/amqp. Needs Debian's python3-qpid-proton; PYTHON names
// another interpreter that has the module. Exits with Proton's verdict.

const python = process.env.PYTHON ?? "/usr/bin/python3";
const script = fileURLToPath(new URL("../peers/proton_peer.py", import.meta.url));

await using node = await new QueueNode().listen();
const peer = spawn(python, [script, `127.0.0.1:${node.port}`], { stdio: "inherit" });
const deadline = setTimeout(() => peer.kill(), 60_000);
process.exitCode = await new Promise<number>((resolve) => {
  peer.on("error", () => resolve(1));
  peer.on("exit", (code) => resolve(code ?? 1));
});
clearTimeout(deadline);

// The bodies are the numbers 0 to 2, which end the encoded message; Proton calls a release after delivery modified.
const outcomes = node.settlements
  .slice(-3)
  .map(({ message, state }) => `${message.codePointAt(message.length - 1)} ${state?.kind}`);
if (outcomes.sort().join() !== "0 accepted,1 rejected,2 modified") {
  console.error(`Proton settled ${outcomes.join()}`);
  process.exitCode = 1;
}
