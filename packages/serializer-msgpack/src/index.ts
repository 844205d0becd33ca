// For applications
export { type MsgpackBodySchema, type MsgpackOptions, msgpack } from "./msgpack-serializer.js";
