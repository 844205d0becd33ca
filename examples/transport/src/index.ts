export { smallTransport } from "./small-transport.js";
