import type { SubscriptionRule } from "@waybill/core/client";
import { type CatalogEntity, entityPathOf } from "@waybill/core/transport";
import type { ExplorerContext } from "../options/explorer-options.js";
import { RequestError } from "../wire/request-error.js";

/** An entity with its counts, as the page shows it. Counts are absent if the broker does not provide them. */
export interface EntityView {
  /** `orders`, `events`, `events/Subscriptions/billing`. */
  readonly path: string;
  readonly kind: "queue" | "topic" | "subscription";
  readonly requiresSession: boolean;
  readonly forwardTo: string | undefined;
  readonly forwardDeadLetteredMessagesTo: string | undefined;
  /** By state; `deferred` is absent if the broker includes them in the active ones. */
  readonly counts: CatalogEntity["counts"];
}

/** Every queue, topic and subscription. */
export async function listEntities(
  { catalog }: ExplorerContext,
  abortSignal?: AbortSignal,
): Promise<EntityView[]> {
  return (await catalog.listEntities({ abortSignal })).map(entityView);
}

/** The rules of a subscription. */
export async function listRules(
  { transport }: ExplorerContext,
  path: string,
  abortSignal?: AbortSignal,
): Promise<SubscriptionRule[]> {
  const [, topic, subscription] = /^(.+)\/subscriptions\/([^/]+)$/i.exec(path) ?? [];
  if (topic === undefined || subscription === undefined)
    throw new RequestError(400, "entity must be topic/Subscriptions/name.");
  const rules = transport.createRuleManager(topic, subscription);
  try {
    return await rules.listRules({ abortSignal });
  } finally {
    await rules.close();
  }
}

function entityView(entity: CatalogEntity): EntityView {
  const { entity: name, counts } = entity;
  return {
    path: entityPathOf(name),
    kind: "queue" in name ? "queue" : name.subscription === undefined ? "topic" : "subscription",
    requiresSession: entity.requiresSession ?? false,
    forwardTo: entity.forwardTo,
    forwardDeadLetteredMessagesTo: entity.forwardDeadLetteredMessagesTo,
    counts: counts && { ...counts, active: counts.active - (counts.deferred ?? 0) },
  };
}
