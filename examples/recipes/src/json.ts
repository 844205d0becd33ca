import { createPipeline } from "@waybill/core";
import { json } from "@waybill/serializer-json";

const order = { type: "object", properties: { id: { type: "integer" } }, required: ["id"] };
const pipeline = createPipeline({ serializer: json({ schemas: { order } }) });
for (const text of ['{"id":9007199254740993}', '{"id":"1"}']) {
  const outcome = await pipeline.deserialize({ subject: "order", body: new TextEncoder().encode(text) });
  console.log(outcome.status === "decoded" ? outcome.body : outcome.report.attempts[0]?.detail);
}
// { id: 9007199254740993n }
// The body breaks "type" of its schema at /id.
