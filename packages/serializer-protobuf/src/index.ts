export { type ProtobufBodySchema, type ProtobufOptions, protobuf } from "./protobuf-serializer.js";
