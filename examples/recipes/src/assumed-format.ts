import { bytes, createPipeline, text } from "@waybill/core";
import { json } from "@waybill/serializer-json";
import { msgpack } from "@waybill/serializer-msgpack";

// #region assume
const pipeline = createPipeline({
  serializer: msgpack(),
  additionalDeserializers: [json(), text(), bytes()],
  contentTypePolicies: { missing: { assume: "json" } },
});
// #endregion

const utf8 = new TextEncoder();
const messages = [
  { body: utf8.encode('"hello"') },
  { body: utf8.encode("hello"), contentType: "text/plain" },
  { body: msgpackOrder(), contentType: undefined },
  { body: new Uint8Array(0) },
];
for (const message of messages) {
  const outcome = await pipeline.deserialize(message);
  if (outcome.status !== "decoded") throw new Error(outcome.status);
  const { serializer, assumed } = outcome.report;
  console.log(outcome.body, "read by", serializer, "assumed", assumed);
}

function msgpackOrder(): Uint8Array {
  const { body } = createPipeline({ serializer: msgpack() }).serialize({ body: { id: 7, sku: "lamp" } }) as {
    body: Uint8Array;
  };
  return body;
}
// hello read by json assumed json
// hello read by text assumed undefined
// { id: 7, sku: 'lamp' } read by msgpack assumed json
// undefined read by undefined assumed undefined
