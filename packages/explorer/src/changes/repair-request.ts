import { createHash } from "node:crypto";
import { access } from "node:fs/promises";
import { join } from "node:path";
import { type EntityAddress, entityPathOf } from "@waybill/core/transport";
import {
  type DeadLetterCriteria,
  type DeadLetterKind,
  type InterruptedRepair,
  interruptedRepair,
  openReceiptFile,
  type RepairOptions,
  type RepairTarget,
} from "@waybill/migration/repair";
import { detectsDuplicates } from "@waybill/migration/tools";
import type { ExplorerContext } from "../options/explorer-options.js";
import { addressAt } from "../wire/entity-path.js";
import { Fields } from "../wire/fields.js";
import { RequestError } from "../wire/request-error.js";

/** A repair as the page requests it, with the options of `waybill dead-letters repair`. */
export type RepairRequest = Omit<RepairOptions, "transport" | "pipeline">;

/**
 * Reads a request. With `resume` the plan is the one that the receipts hold, whatever else the request says. Rejects with `RequestError`, also if
 * an interrupted repair would be continued with another plan by mistake.
 */
export async function readRepairRequest(context: ExplorerContext, fields: Fields): Promise<RepairRequest> {
  const from = deadLettersOf(fields);
  const interrupted = await interruptedIn(context, from);
  if (!fields.flag("resume")) {
    if (interrupted === undefined || fields.flag("replace")) return requestOf(from, fields);
    throw new RequestError(
      409,
      "A repair of this queue was interrupted. Resume it with its own plan, or give it up, before you begin another.",
    );
  }
  if (interrupted === undefined)
    throw new RequestError(409, "The receipts hold no interrupted repair of this queue.");
  if (interrupted.isSelectedByFunction)
    throw new RequestError(409, "A program began this repair and selects its messages: continue it there.");
  return interrupted.plan;
}

/** Reads a request to look at only: an interrupted repair is no obstacle. */
export async function readPreviewRequest(context: ExplorerContext, fields: Fields): Promise<RepairRequest> {
  if (!fields.flag("resume")) return requestOf(deadLettersOf(fields), fields);
  const request = await readRepairRequest(context, fields);
  const sent = (await interruptedIn(context, request.from))?.sent ?? 0;
  return request.limit === undefined ? request : { ...request, limit: Math.max(0, request.limit - sent) };
}

/** The interrupted repair of a dead-letter queue that its receipts hold. */
export async function interruptedIn(
  context: ExplorerContext,
  from: EntityAddress,
): Promise<InterruptedRepair | undefined> {
  const path = receiptFile(context, from);
  const exists = await access(path).then(
    () => true,
    () => false,
  );
  if (!exists) return undefined;
  const receipts = await openReceiptFile(path);
  try {
    return await interruptedRepair(receipts, from);
  } finally {
    await receipts.close();
  }
}

/** The dead-letter queue that `entity` names, or that of the entity. */
export function deadLettersOf(fields: Fields): EntityAddress {
  const address = fields.address();
  return { ...address, subQueue: address.subQueue ?? "deadLetter" } as EntityAddress;
}

function requestOf(from: EntityAddress, fields: Fields): RepairRequest {
  const to = fields.optionalText("to");
  const throughTopic = fields.flag("throughTopic");
  if ("topic" in from && to === undefined && !throughTopic) {
    throw new RequestError(
      400,
      `The dead letters of ${from.subscription} cannot be sent to that subscription: name a destination, or send them through the topic ${from.topic}, whose other subscriptions get them too.`,
    );
  }
  const transcodes = fields.flag("transcode");
  const includeUndeserializable = fields.flag("includeUndeserializable");
  if (transcodes && includeUndeserializable) {
    throw new RequestError(
      400,
      "What cannot be read cannot be written again: send it byte for byte, or leave it out.",
    );
  }
  return {
    from,
    to: to === undefined ? undefined : targetAt(to),
    throughTopic: to === undefined && throughTopic,
    interrupted: fields.flag("replace") ? "replace" : "resume",
    body: transcodes ? "transcode" : "as-is",
    includeUndeserializable,
    select: criteriaOf(fields),
    targetDetectsDuplicates: fields.flag("targetDetectsDuplicates"),
    maxResubmits: fields.optionalCount("maxResubmits", {}),
    maxPerSecond: fields.optionalRate("rate"),
    limit: fields.optionalCount("limit", {}),
    maxWaitTimeInMs: waitOf(fields),
  };
}

/**
 * The options for both `rehearseRepair` and `repairDeadLetters`. Asks the broker whether the target detects duplicates, because it would drop
 * the messages that it still remembers.
 */
export async function repairOptions(
  { transport, pipeline, catalog }: ExplorerContext,
  request: RepairRequest,
  abortSignal?: AbortSignal,
): Promise<RepairOptions> {
  const targetDetectsDuplicates =
    request.targetDetectsDuplicates || (await detectsDuplicates(catalog, request, { abortSignal }));
  return { transport, pipeline, ...request, targetDetectsDuplicates };
}

/** The file of receipts of a dead-letter queue: one for each queue, so that a repair always resumes where the last one stopped. */
export function receiptFile({ directory, namespace }: ExplorerContext, from: EntityAddress): string {
  const path = `${namespace.toLowerCase()}/${entityPathOf(from).toLowerCase()}`;
  const name = entityPathOf(from)
    .toLowerCase()
    .replace(/[^a-z0-9.-]+/g, "-")
    .slice(0, 80);
  // Two paths may become equal when characters that file systems refuse are replaced.
  const digest = createHash("sha256").update(path).digest("hex").slice(0, 8);
  return join(directory, "receipts", `${name}-${digest}.receipts`);
}

function targetAt(path: string): RepairTarget {
  const topic = /^topic:(.+)$/.exec(path)?.[1];
  if (topic !== undefined) return { topic };
  const { subQueue, ...target } = addressAt(path);
  if (subQueue === undefined) return target as RepairTarget;
  throw new RequestError(400, "Nothing can be sent to a dead-letter queue.");
}

/** How long to wait for messages before the queue counts as empty, in milliseconds; a request gives seconds, as the command does. */
export function waitOf(fields: Fields): number | undefined {
  const seconds = fields.optionalCount("wait", { min: 0, max: 300 });
  return seconds === undefined ? undefined : seconds * 1_000;
}

/** Undefined for all dead letters. */
function criteriaOf(fields: Fields): DeadLetterCriteria | undefined {
  const criteria = {
    reason: fields.optionalTexts("reason"),
    messageType: fields.optionalTexts("messageType"),
    messageVersion: fields.optionalTexts("messageVersion")?.map(Number),
    format: fields.optionalTexts("format"),
    kind: kindOf(fields.raw("group")),
    number: fields.optionalTexts("number")?.map((text) => numberOf(text)),
  };
  return Object.values(criteria).some((value) => value !== undefined) ? criteria : undefined;
}

/** A group as the page received it. */
function kindOf(value: unknown): DeadLetterKind | undefined {
  if (value === undefined || value === null) return undefined;
  const group = Fields.of(value);
  return {
    deadLetterReason: group.optionalText("reason"),
    mediaType: group.text("mediaType"),
    messageType: group.optionalText("messageType"),
    messageVersion: group.optionalCount("messageVersion", { min: 0 }),
  };
}

function numberOf(text: string): bigint {
  if (/^\d{1,19}$/.test(text)) return BigInt(text);
  throw new RequestError(400, "number must be a list of sequence numbers.");
}
