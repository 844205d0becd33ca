import { createPipeline } from "@waybill/core";
import { msgpack } from "@waybill/serializer-msgpack";

const pipeline = createPipeline({ serializer: msgpack() });
const message = await pipeline.serialize({
  body: { at: new Date(0), total: 2n ** 60n, raw: new Uint8Array(2) },
});
const outcome = await pipeline.deserialize(message);
console.log(message.contentType, outcome.status === "decoded" && outcome.body);
// application/vnd.msgpack {
//   at: 1970-01-01T00:00:00.000Z,
//   total: 1152921504606846976n,
//   raw: Uint8Array(2) [ 0, 0 ]
// }
