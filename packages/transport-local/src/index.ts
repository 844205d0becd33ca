// For applications

export { localCatalog } from "./local-catalog.js";
export { localTransport } from "./local-transport.js";
