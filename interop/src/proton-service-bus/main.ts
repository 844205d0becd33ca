import { createBroker } from "@waybill/broker";
import { serve } from "@waybill/broker-server";
import { runPython } from "../run-python.js";

// Runs Qpid Proton against the broker server, as a client of another language. Needs Debian's python3-qpid-proton; PYTHON
// names another interpreter that has the module. Exits with Proton's verdict.

await using broker = createBroker();
await broker.createQueue("orders");
await using server = await serve(broker, { port: 0, acceptAnyone: true });
const script = new URL("../../python/proton_service_bus.py", import.meta.url);
process.exitCode = await runPython(script, [`127.0.0.1:${server.port}`]);
