import {
  type EntityAddress,
  type EntityCatalog,
  type EntityName,
  entityPathOf,
} from "@waybill/core/transport";
import { addressAt } from "../wire/entity-path.js";
import { RequestError } from "../wire/request-error.js";

/** The entities that an assistant may look at; no others, by whatever tool. */
export class Fence {
  /** Undefined: all of the namespace. */
  readonly #allowed: ReadonlySet<string> | undefined;

  /** Without entities, every entity of the namespace. */
  constructor(entities: readonly EntityName[]) {
    if (entities.length > 0)
      this.#allowed = new Set(entities.map((entity) => entityPathOf(entity).toLowerCase()));
  }

  /** The address of a path. Throws `RequestError` if it is none, or outside. */
  addressAt(path: string): EntityAddress {
    const address = addressAt(path);
    const { subQueue: _, ...entity } = address;
    this.check(entityPathOf(entity as EntityName));
    return address;
  }

  /** Throws `RequestError` for the path of an entity outside. */
  check(path: string): void {
    if (this.#allowed?.has(path.toLowerCase()) === false)
      throw new RequestError(403, `Only these entities may be looked at: ${[...this.#allowed].join(", ")}.`);
  }

  /** The paths of a census: that of one entity, those inside, or undefined for the namespace. */
  paths(entity: string | undefined): readonly string[] | undefined {
    if (entity === undefined) return this.#allowed && [...this.#allowed];
    const { subQueue: _, ...name } = this.addressAt(entity);
    return [entityPathOf(name as EntityName)];
  }
}

/** The entities of a catalog that have one of these paths. */
export function onlyPaths(catalog: EntityCatalog, paths: readonly string[] | undefined): EntityCatalog {
  if (paths === undefined) return catalog;
  const wanted = new Set(paths.map((path) => path.toLowerCase()));
  return {
    listEntities: async (options) =>
      (await catalog.listEntities(options)).filter(({ entity }) =>
        wanted.has(entityPathOf(entity).toLowerCase()),
      ),
  };
}
