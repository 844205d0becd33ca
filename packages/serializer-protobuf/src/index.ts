export type { ProtobufBodySchema, ProtobufOptions } from "./protobuf-serializer.js";
export { protobuf } from "./protobuf-serializer.js";
