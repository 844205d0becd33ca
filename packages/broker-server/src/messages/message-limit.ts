import type { Broker } from "@waybill/broker";
import { splitEntityPath } from "@waybill/broker/front-end";

/** Maximum message size of an entity in bytes; for a subscription, that of its topic. Throws `entity-not-found`. */
export function messageLimit(broker: Broker, path: string): number {
  const { entity } = splitEntityPath(path);
  const description = broker.getEntity(entity);
  const { options } = description;
  if ("maxMessageSizeInKilobytes" in options) return options.maxMessageSizeInKilobytes * 1024;
  return messageLimit(broker, description.kind === "subscription" ? description.topic : entity);
}
