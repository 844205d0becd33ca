// For applications
export type { MsgpackBodySchema, MsgpackOptions } from "./msgpack-serializer.js";
export { msgpack } from "./msgpack-serializer.js";
