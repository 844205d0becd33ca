import type { CatalogEntity, EntityCatalog, EntityName } from "@waybill/core/transport";

/** The entities that were named, and the topics of named subscriptions; with what another catalog knows of them. */
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

/** What is scheduled at a topic is on its way to the subscription. */
function withTopic(name: EntityName): EntityName[] {
  return "topic" in name && name.subscription !== undefined ? [{ topic: name.topic }, name] : [name];
}

/** Letter case makes no difference to the service. */
function key(name: EntityName): string {
  const parts = "queue" in name ? [name.queue] : [name.topic, "subscription", name.subscription ?? ""];
  return JSON.stringify(parts).toLowerCase();
}
