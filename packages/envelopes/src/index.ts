export type { CloudEventsOptions } from "./cloud-events.js";
export { cloudEvents, dapr } from "./cloud-events.js";
export { cloudEventsAvro } from "./cloud-events-avro.js";
export type {
  Envelope,
  EnvelopedMessage,
  EnvelopeFacts,
  EnvelopeOptions,
  TypeNames,
} from "./envelope.js";
export type { EnvelopesOptions } from "./envelopes.js";
export { envelopes } from "./envelopes.js";
export type { MassTransitOptions } from "./masstransit.js";
export { massTransit } from "./masstransit.js";
export type { NServiceBusOptions } from "./nservicebus.js";
export { nserviceBus } from "./nservicebus.js";
export { wolverine } from "./wolverine.js";
