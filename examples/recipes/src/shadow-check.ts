import { createPipeline } from "@waybill/core";
import { ShadowCheck } from "@waybill/migration/plan";
import { json } from "@waybill/serializer-json";
import { msgpack } from "@waybill/serializer-msgpack";

const shadow = new ShadowCheck({ candidate: { serializer: "msgpack" }, sampleRate: 1 });
const pipeline = shadow.observe(createPipeline({ serializer: json(), additionalDeserializers: [msgpack()] }));

for (const id of [1, 2]) {
  await pipeline.serialize({ subject: "payment", body: { id, at: new Date(), lines: [{ sku: "lamp" }] } });
}
const { sampled, same, findings } = await shadow.report();
console.log(`${same} of ${sampled} would read the same`);
for (const { messageType, path, kind, count } of findings) console.log(messageType, path, kind, count);
// 0 of 2 would read the same
// payment /at date 2
