export { type CloudEventsOptions, cloudEvents, dapr } from "./cloud-events.js";
export { cloudEventsAvro } from "./cloud-events-avro.js";
export type {
  Envelope,
  EnvelopedMessage,
  EnvelopeFacts,
  EnvelopeOptions,
  TypeNames,
} from "./envelope.js";
export { type EnvelopesOptions, envelopes } from "./envelopes.js";
export { type MassTransitOptions, massTransit } from "./masstransit.js";
export { type NServiceBusOptions, nserviceBus } from "./nservicebus.js";
export { wolverine } from "./wolverine.js";
