import { QueueNode } from "../queue-node.js";
import { runPython } from "../run-python.js";

// Runs Qpid Proton against a server made of @waybill/amqp. Needs Debian's python3-qpid-proton; PYTHON names
// another interpreter that has the module. Exits with Proton's verdict.

await using node = await new QueueNode().listen();
const script = new URL("../../python/proton_peer.py", import.meta.url);
process.exitCode = await runPython(script, [`127.0.0.1:${node.port}`]);

// The bodies are the numbers 0 to 2, which end the encoded message; Proton calls a release after delivery modified.
const outcomes = node.settlements
  .slice(-3)
  .map(({ message, state }) => `${message.codePointAt(message.length - 1)} ${state?.kind}`);
if (outcomes.sort().join() !== "0 accepted,1 rejected,2 modified") {
  console.error(`Proton settled ${outcomes.join()}`);
  process.exitCode = 1;
}
