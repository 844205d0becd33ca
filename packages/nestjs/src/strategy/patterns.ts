/** Tells Nest which handlers are for messages of Service Bus, in applications with several transports. */
export const waybillTransport: unique symbol = Symbol("waybill");

/** The pattern of the handler of messages without a handler of their type. */
export const unhandledPattern = "waybill:unhandled";
