import { createHash } from "node:crypto";
import type { EncodedMessage } from "@waybill/core";
import { type CatalogEntity, type DeliveredMessage, entityPathOf } from "@waybill/core/transport";
import type { Census } from "../census/census.js";
import { workItemSubject } from "../census/own-record.js";
import { deadLetterPath } from "../repair/dead-letter-queue.js";
import { formatPlan, parsePlan, type RepairPlan } from "../repair/repair-plan.js";

/** One piece of a job: an entity to count with its sub-queues, or a dead-letter queue to repair. */
export type WorkItem = CensusItem | RepairItem;

interface ItemOfJob {
  readonly job: string;
  /** Tells apart the items of two jobs of one name. */
  readonly run: string;
  /** The chain for which it was put: a worker with another one would get another result. */
  readonly chain: WorkChain;
}

/** What a census says about its chain. */
export type WorkChain = Pick<Census, "serializers" | "messageTypes">;

/** An entity to count. */
export interface CensusItem extends ItemOfJob {
  readonly kind: "census";
  readonly entity: CatalogEntity;
  readonly sampleRate: number;
  /** Undefined for no limit. */
  readonly maxMessagesPerPlace: number | undefined;
  readonly maxGroups: number;
}

/** A dead-letter queue to repair. */
export interface RepairItem extends ItemOfJob {
  readonly kind: "repair";
  readonly plan: RepairPlan;
  readonly maxWaitTimeInMs: number;
}

/** The path of the entity or dead-letter queue that an item is about. */
export function pathOf(item: WorkItem): string {
  return item.kind === "census" ? entityPathOf(item.entity.entity) : deadLetterPath(item.plan.from);
}

/** The session of an item, which holds its message, its lock and its state. Within the 128 characters that Service Bus allows. */
export function sessionIdOf(item: WorkItem): string {
  const path = createHash("sha256").update(pathOf(item).toLowerCase()).digest("base64url").slice(0, 22);
  return `${item.job}/${item.run}/${path}`;
}

const contentType = "application/json";

/** The message that puts an item into the work queue; {@link fromWorkMessage} reads it. */
export function toWorkMessage(item: WorkItem): EncodedMessage {
  const plain = item.kind === "repair" ? { ...item, plan: formatPlan(item.plan) } : item;
  const sessionId = sessionIdOf(item);
  const body = new TextEncoder().encode(JSON.stringify(plain, withoutInfinity));
  return { sessionId, messageId: sessionId, subject: workItemSubject, contentType, body };
}

/** JSON has no `Infinity`: members that are absent mean the same. */
function withoutInfinity(_key: string, value: unknown): unknown {
  return value === Number.POSITIVE_INFINITY ? undefined : value;
}

/** The item of a message; undefined for messages that somebody else sent to the queue. */
export function fromWorkMessage({ subject, body }: DeliveredMessage): WorkItem | undefined {
  if (subject !== workItemSubject || !(body instanceof Uint8Array)) return undefined;
  try {
    return itemOf(JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body)));
  } catch {
    return undefined;
  }
}

function itemOf(value: Readonly<Record<string, unknown>> | null): WorkItem | undefined {
  const { job, run, chain, kind, entity, sampleRate, maxGroups, maxWaitTimeInMs } = value ?? {};
  const { serializers } = (chain ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof job !== "string" || typeof run !== "string" || !Array.isArray(serializers)) return undefined;
  if (kind === "census") {
    const { entity: name } = (entity ?? {}) as Readonly<Record<string, unknown>>;
    const isComplete = isName(name) && typeof sampleRate === "number" && typeof maxGroups === "number";
    return isComplete ? (value as unknown as CensusItem) : undefined;
  }
  const plan = parsePlan(value?.plan);
  return kind === "repair" && plan !== undefined && typeof maxWaitTimeInMs === "number"
    ? { job, run, chain: chain as WorkChain, kind, plan, maxWaitTimeInMs }
    : undefined;
}

function isName(value: unknown): boolean {
  const { queue, topic } = (value ?? {}) as Readonly<Record<string, unknown>>;
  return typeof queue === "string" || typeof topic === "string";
}
