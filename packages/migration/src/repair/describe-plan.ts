import { entityPathOf } from "@waybill/core/transport";
import { deadLetterPath } from "./dead-letter-queue.js";
import type { RepairPlan } from "./repair-plan.js";
import type { DeadLetterCriteria } from "./select-dead-letters.js";

/** A plan in words, part by part. Names come from the wire: escape them before they are printed. */
export function describePlan(plan: RepairPlan): readonly string[] {
  const { body, maxPerSecond, limit, includeUndeserializable } = plan;
  return [
    `the repair of ${deadLetterPath(plan.from)}`,
    `to ${targetText(plan)}`,
    selectionText(plan.select),
    body === "transcode" ? "transcoded" : "byte for byte",
    ...(includeUndeserializable ? ["with what cannot be deserialized"] : []),
    maxPerSecond === undefined ? "at any rate" : `${maxPerSecond} a second`,
    ...(limit === undefined ? [] : [`at most ${limit} in all`]),
  ];
}

/** Where a plan sends to: `orders`, `events/Subscriptions/billing`, `the topic events`. */
export function targetText({ to }: Pick<RepairPlan, "to">): string {
  if ("queue" in to) return to.queue;
  const { topic, subscription } = to;
  return subscription === undefined ? `the topic ${topic}` : entityPathOf({ topic, subscription });
}

function selectionText(select: DeadLetterCriteria | undefined): string {
  const given = Object.entries(select ?? {}).filter(([, value]) => value !== undefined);
  if (given.length === 0) return "all that can be read";
  return `only those with ${given.map(([name, value]) => `${name} ${valueText(value)}`).join(" and ")}`;
}

function valueText(value: unknown): string {
  if (Array.isArray(value)) return value.map(String).join(" or ");
  return Object.entries(value as object)
    .map(([name, member]) => `${name}=${String(member ?? "(none)")}`)
    .join(" ");
}
