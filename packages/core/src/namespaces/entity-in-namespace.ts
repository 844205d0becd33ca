import { quoted } from "@waybill/foundation";
import type { CatalogEntity, EntityName } from "../contracts/entity-catalog.js";
import type { EntityAddress } from "../contracts/transport.js";

/** In which namespace a queue or topic is: the name of one of the transports. */
export type NamespaceOf = (queueOrTopic: string) => string;

/** A queue or topic of one of several namespaces. */
export interface EntityInNamespace {
  readonly namespace: string;
  /** Its name in that namespace. */
  readonly name: string;
}

/** No name of an entity of Service Bus has this character. */
const separator = ":";

/** Where `billing:invoices` is. The namespace of a name without one is the empty string, which is none. */
export function splitName(queueOrTopic: string): EntityInNamespace {
  const at = queueOrTopic.indexOf(separator);
  return { namespace: queueOrTopic.slice(0, Math.max(at, 0)), name: queueOrTopic.slice(at + 1) };
}

/** Throws `TypeError` for a name that cannot stand before the names of entities. */
export function checkNamespaceName(name: string): void {
  if (name === "" || name.includes(separator) || name.includes("/"))
    throw new TypeError(
      `${quoted(name)} cannot name a namespace: it stands before the names of entities, as in billing:invoices.`,
    );
}

/** The entity at an address, with another name of its queue or topic. */
export function renamed<Name extends EntityName>(entity: Name, name: string): Name {
  return "queue" in entity ? { ...entity, queue: name } : { ...entity, topic: name };
}

/** The queue or topic of an address. */
export function nameOf(entity: EntityName | EntityAddress): string {
  return "queue" in entity ? entity.queue : entity.topic;
}

/** An entity of a namespace's catalog, under its name among several namespaces; what it forwards to is in the same one. */
export function withNamespace(namespace: string, listed: CatalogEntity): CatalogEntity {
  const named = (name: string | undefined) =>
    name === undefined ? undefined : `${namespace}${separator}${name}`;
  return {
    ...listed,
    entity: renamed(listed.entity, `${namespace}${separator}${nameOf(listed.entity)}`),
    forwardTo: named(listed.forwardTo),
    forwardDeadLetteredMessagesTo: named(listed.forwardDeadLetteredMessagesTo),
  };
}
