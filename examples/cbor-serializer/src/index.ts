export { cbor } from "./cbor-serializer.js";
