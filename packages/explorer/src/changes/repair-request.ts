import { createHash } from "node:crypto";
import { join } from "node:path";
import { type EntityAddress, entityPathOf } from "@waybill/core/transport";
import {
  type DeadLetterKind,
  type RepairOptions,
  type RepairTarget,
  selectDeadLetters,
} from "@waybill/migration";
import { detectsDuplicates } from "@waybill/migration/tools";
import type { ExplorerContext } from "../options/explorer-options.js";
import { addressAt } from "../wire/entity-path.js";
import { Fields } from "../wire/fields.js";
import { RequestError } from "../wire/request-error.js";

/** A repair as the page requests it, with the options of `waybill dead-letters repair`. */
export type RepairRequest = Omit<RepairOptions, "transport" | "pipeline">;

/** Reads a request. Throws `RequestError`. */
export function repairRequest(fields: Fields): RepairRequest {
  const address = fields.address();
  const from = { ...address, subQueue: address.subQueue ?? "deadLetter" } as EntityAddress;
  const to = fields.optionalText("to");
  return {
    from,
    to: to === undefined ? undefined : targetAt(to),
    body: fields.flag("transcode") ? "transcode" : "as-is",
    select: selectDeadLetters({
      reason: fields.optionalTexts("reason"),
      messageType: fields.optionalTexts("messageType"),
      messageVersion: fields.optionalTexts("messageVersion")?.map(Number),
      format: fields.optionalTexts("format"),
      kind: kindOf(fields.raw("group")),
      number: fields.optionalTexts("number")?.map((text) => numberOf(text)),
    }),
    targetDetectsDuplicates: fields.flag("targetDetectsDuplicates"),
    maxPerSecond: fields.optionalRate("rate"),
    limit: fields.optionalCount("limit", { min: 0 }) || undefined,
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

/** The default target of an entity's dead letters, as text. */
export function originOf(from: EntityAddress): string {
  const { subQueue: _, ...name } = from;
  return entityPathOf(name as EntityAddress);
}

function targetAt(path: string): RepairTarget {
  const topic = /^topic:(.+)$/.exec(path)?.[1];
  if (topic !== undefined) return { topic };
  const { subQueue, ...target } = addressAt(path);
  if (subQueue === undefined) return target as RepairTarget;
  throw new RequestError(400, "Nothing can be sent to a dead-letter queue.");
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
