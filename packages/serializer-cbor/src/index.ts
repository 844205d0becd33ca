export type { CborBodySchema, CborOptions } from "./cbor-serializer.js";
export { cbor } from "./cbor-serializer.js";
