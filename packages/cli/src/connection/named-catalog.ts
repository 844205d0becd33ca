import type { CatalogEntity, EntityCatalog, EntityName } from "@waybill/core/transport";

/** The named entities, and the topics of named subscriptions, with the details that another catalog has. */
export function namedCatalog(names: readonly EntityName[], known?: EntityCatalog): EntityCatalog {
  return {
    async listEntities(options) {
      const all = new Map<string, CatalogEntity>();
      for (const entity of (await known?.listEntities(options)) ?? []) all.set(key(entity.entity), entity);
      const named = new Map<string, CatalogEntity>();
      for (const name of names.flatMap(withTopic))
        named.set(key(name), all.get(key(name)) ?? { entity: name });
      return [...named.values()];
    },
  };
}

/** Messages scheduled at a topic will reach its subscriptions. */
function withTopic(name: EntityName): EntityName[] {
  return "topic" in name && name.subscription !== undefined ? [{ topic: name.topic }, name] : [name];
}

/** Service Bus ignores the case of names. */
function key(name: EntityName): string {
  const parts = "queue" in name ? [name.queue] : [name.topic, "subscription", name.subscription ?? ""];
  return JSON.stringify(parts).toLowerCase();
}
