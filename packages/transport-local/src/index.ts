// For applications

export { localCatalog } from "./local-catalog.js";
export { localTransport } from "./local-transport.js";

// For tools that show what a broker has

export { fromBrokerMessage } from "./from-broker-message.js";
