// For authors of tools that open the storage of a served broker: without the server, which takes long to load.

export { decodeWire } from "./messages/wire-decoder.js";
