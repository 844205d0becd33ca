import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createBroker } from "@waybill/broker";
import { createPipeline, WaybillClient } from "@waybill/core";
import {
  assertGoldenMessages,
  captureGoldenMessages,
  checkGoldenMessages,
  writeGoldenMessages,
} from "@waybill/migration/golden";
import { json } from "@waybill/serializer-json";
import { msgpack } from "@waybill/serializer-msgpack";
import { localCatalog, localTransport } from "@waybill/transport-local";

const broker = createBroker();
await broker.createQueue("orders");
const transport = localTransport(broker);
const pipeline = createPipeline({ serializer: msgpack(), additionalDeserializers: [json()] });
const producer = new WaybillClient(transport, { serializer: json() });
await producer.createSender("orders").sendMessages({ body: { name: "Ada" }, subject: "order-placed" });

const directory = await mkdtemp(join(tmpdir(), "golden-"));
const { messages } = await captureGoldenMessages({ transport, pipeline, catalog: localCatalog(broker) });
await writeGoldenMessages(directory, messages);
console.log(messages.map(({ expected }) => expected.value));

// #region check
await assertGoldenMessages({ pipeline, directory });
// #endregion
const withoutJson = createPipeline({ serializer: msgpack() });
const { failures } = await checkGoldenMessages({ pipeline: withoutJson, directory });
console.log(failures.map(({ kind }) => kind));

await rm(directory, { recursive: true });
await producer.close();
await broker.close();
// [ { name: 'Aaa' } ]
// [ 'lost-support' ]
