// For applications

export { localTransport } from "./local-transport.js";
