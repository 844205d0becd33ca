import { createBroker } from "@waybill/broker";
import { createPipeline, WaybillClient } from "@waybill/core";
import { runWorker, shareCensus } from "@waybill/migration/work";
import { json } from "@waybill/serializer-json";
import { localCatalog, localTransport } from "@waybill/transport-local";

const broker = createBroker();
await broker.createQueue("jobs", { requiresSession: true });
const transport = localTransport(broker);
const catalog = localCatalog(broker);
const pipeline = createPipeline({ serializer: json() });
const client = new WaybillClient(transport, { pipeline });
for (const queue of ["orders", "invoices", "returns"]) {
  await broker.createQueue(queue);
  await client.createSender(queue).sendMessages([{ body: { id: 1 } }, { body: { id: 2 } }]);
}

const stopping = new AbortController();
const stopped = stopping.signal;
// #region worker
const working = runWorker({ transport, pipeline, workQueue: "jobs", abortSignal: stopped });
// #endregion

// #region ask
await using job = await shareCensus({ transport, catalog, pipeline, workQueue: "jobs", job: "monday" });
const waiting = job.result.groups.filter(({ isOwnRecord }) => !isOwnRecord);
console.log(waiting.map(({ entityPath, count }) => `${entityPath}: ${count}`).sort());
// Only now, when the result is kept: whoever asks again before gets it again.
await job.remove();
// #endregion

stopping.abort();
await working;
await client.close();
await transport.close();
await broker.close();
