/** For waybill's own packages: it may change in every release. */

export { fromServiceBusMessage } from "./messages/from-service-bus-message.js";
export { toLong } from "./messages/to-long.js";
export type { ReceivedServiceBusMessage } from "./sdk/service-bus-client.js";
export { lockedElsewhere } from "./settlement/locked-elsewhere.js";
