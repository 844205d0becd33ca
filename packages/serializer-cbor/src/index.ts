export { type CborBodySchema, type CborOptions, cbor } from "./cbor-serializer.js";
