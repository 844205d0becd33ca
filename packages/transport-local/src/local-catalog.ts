import type { Broker, EntityDescription } from "@waybill/broker";
import type { CatalogEntity, EntityCatalog, EntityName } from "@waybill/core/transport";
import { toLocalError } from "./local-error.js";

/** The catalog of a broker in the same process, with exact counts. `listEntities` rejects with a `WaybillError` when the broker is closed. */
export function localCatalog(broker: Broker): EntityCatalog {
  return {
    async listEntities() {
      try {
        return broker.listEntities().map(toCatalogEntity);
      } catch (error) {
        throw toLocalError(error, "$Resources");
      }
    },
  };
}

function toCatalogEntity(description: EntityDescription): CatalogEntity {
  return {
    entity: toName(description),
    ...(description.kind === "topic" ? {} : optionsOf(description)),
    ...(description.kind === "subscription"
      ? {}
      : { requiresDuplicateDetection: description.options.requiresDuplicateDetection }),
    counts: {
      active: description.activeMessageCount + description.deferredMessageCount,
      deferred: description.deferredMessageCount,
      scheduled: description.scheduledMessageCount,
      deadLetter: description.deadLetterMessageCount,
      transfer: description.transferMessageCount,
      transferDeadLetter: description.transferDeadLetterMessageCount,
      arrived: description.arrivedMessageCount,
    },
  };
}

function toName(description: EntityDescription): EntityName {
  switch (description.kind) {
    case "queue":
      return { queue: description.path };
    case "topic":
      return { topic: description.path };
    case "subscription":
      return { topic: description.topic, subscription: description.name };
  }
}

function optionsOf({
  options,
}: Exclude<EntityDescription, { kind: "topic" }>): Omit<CatalogEntity, "entity"> {
  return {
    requiresSession: options.requiresSession,
    defaultMessageTimeToLiveInMs: options.defaultMessageTimeToLiveMs,
    forwardTo: options.forwardTo,
    forwardDeadLetteredMessagesTo: options.forwardDeadLetteredMessagesTo,
  };
}
