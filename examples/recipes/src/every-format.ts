import { create, createRegistry } from "@bufbuild/protobuf";
import { StringValueSchema } from "@bufbuild/protobuf/wkt";
import { createPipeline } from "@waybill/core";
import { avro } from "@waybill/serializer-avro";
import { cbor } from "@waybill/serializer-cbor";
import { dotnetBinary } from "@waybill/serializer-dotnet";
import { json } from "@waybill/serializer-json";
import { msgpack } from "@waybill/serializer-msgpack";
import { protobuf } from "@waybill/serializer-protobuf";
import { xml } from "@waybill/serializer-xml";

const schema = {
  type: "record",
  name: "Order",
  fields: [
    { name: "id", type: "string" },
    { name: "paid", type: "boolean" },
  ],
} as const;
const registry = createRegistry(StringValueSchema);

// #region chain
const pipeline = createPipeline({
  serializer: avro({ schema }),
  additionalDeserializers: [
    json(),
    msgpack(),
    dotnetBinary({ json: true }),
    xml(),
    cbor(),
    protobuf({ registry }),
  ],
});
// #endregion

const order = { id: "A-1042", paid: true };
for (const { name, mediaTypes } of pipeline.serializers) {
  const message = name === "protobuf" ? create(StringValueSchema, { value: order.id }) : order;
  const body = name === "xml" ? { order } : message;
  const written = await pipeline.serialize({ body, contentType: mediaTypes[0] });
  // CBOR and Protobuf bodies need a content type.
  const needsContentType = name === "cbor" || name === "protobuf";
  const contentType = needsContentType ? written.contentType : undefined;
  const outcome = await pipeline.deserialize({ ...written, contentType });
  console.log(outcome.report.serializer, outcome.status, contentType ?? "without a content type");
}
// avro decoded without a content type
// json decoded without a content type
// msgpack decoded without a content type
// dotnet-binary decoded without a content type
// xml decoded without a content type
// cbor decoded application/cbor
// protobuf decoded application/protobuf; proto=google.protobuf.StringValue
