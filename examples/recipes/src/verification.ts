import { createPipeline } from "@waybill/core";
import { Verification } from "@waybill/migration/plan";
import { json } from "@waybill/serializer-json";
import { msgpack } from "@waybill/serializer-msgpack";

const verification = new Verification({ sampleRate: 1 });
const pipeline = verification.observe(
  createPipeline({ serializer: json(), additionalDeserializers: [msgpack()] }),
);

const contentType = "application/json";
for (const text of ['{"order":1}', "7"]) {
  await pipeline.deserialize({ body: new TextEncoder().encode(text), contentType });
}
const { verified, ambiguities } = await verification.report();
console.log(`${verified} verified`);
for (const { winner, other, under, isHarmless, samples } of ambiguities) {
  console.log(winner.serializer, other.serializer, under, isHarmless, samples[0]?.slice(0, 8));
}
// 2 verified
// json msgpack labelled false 7902699b
