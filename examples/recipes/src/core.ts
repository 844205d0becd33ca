import { createPipeline } from "@waybill/core";
import { json } from "@waybill/serializer-json";
import { msgpack } from "@waybill/serializer-msgpack";

const pipeline = createPipeline({ serializer: msgpack(), additionalDeserializers: [json()] });
for (const text of ['{"order":1}', '{"order":1', "order 1"]) {
  const outcome = await pipeline.deserialize({ body: new TextEncoder().encode(text) });
  console.log(outcome.status, outcome.report.serializer, outcome.report.attempts[0]?.reason);
}
// decoded json undefined
// undeserializable undefined truncated
// undeserializable undefined not-recognized
