import type { EntityCatalog } from "../contracts/entity-catalog.js";
import { checkNamespaceName, type NamespaceOf, nameOf, withNamespace } from "./entity-in-namespace.js";

/**
 * Lists the entities of several namespaces for one transport of `namespaces`, so that a census, a verdict and an explorer are about all of them. With
 * `namespaceOf`, those entities of each catalog that are in its namespace by this function: entities of one name in two namespaces are one entity for the
 * transport, so the other is not listed. Without it, all entities, with their namespaces before their names: `billing:invoices`.
 */
export function namespacesCatalog(
  catalogs: Readonly<Record<string, EntityCatalog>>,
  namespaceOf?: NamespaceOf,
): EntityCatalog {
  if (namespaceOf === undefined) Object.keys(catalogs).forEach(checkNamespaceName);
  return {
    async listEntities(options) {
      const listed = await Promise.all(
        Object.entries(catalogs).map(async ([namespace, catalog]) => {
          const entities = await catalog.listEntities(options);
          return namespaceOf === undefined
            ? entities.map((entity) => withNamespace(namespace, entity))
            : entities.filter(({ entity }) => namespaceOf(nameOf(entity)) === namespace);
        }),
      );
      return listed.flat();
    },
  };
}
