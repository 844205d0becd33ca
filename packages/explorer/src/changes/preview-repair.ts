import type { DeserializationOutcome, EncodedMessage } from "@waybill/core";
import { decisiveAttempt } from "@waybill/core/pipeline";
import type { DeliveredMessage, EveryProperty } from "@waybill/core/transport";
import { type RepairTarget, rehearseRepair } from "@waybill/migration/repair";
import {
  compareValues,
  describePlan,
  planOf,
  type RehearsedRepair,
  targetText,
} from "@waybill/migration/tools";
import type { ExplorerContext } from "../options/explorer-options.js";
import { attemptView } from "../reads/attempt-view.js";
import { mayReach } from "../reads/may-send.js";
import { idText } from "../reads/message-row.js";
import { readMessage } from "../reads/peek.js";
import { valueTree } from "../values/value-tree.js";
import { RequestError } from "../wire/request-error.js";
import { type RepairRequest, repairOptions } from "./repair-request.js";

/** What a repair would do, with the differences for some of the messages. */
export type RepairPreview = Awaited<ReturnType<typeof previewRepair>>;

/** A message before and after. */
export type RepairDifference = Awaited<ReturnType<typeof differenceOf>>;

const maxExamples = 10;

/** Rehearses a repair. Locks and changes nothing. */
export async function previewRepair(
  context: ExplorerContext,
  request: RepairRequest,
  abortSignal?: AbortSignal,
) {
  const kept: RehearsedRepair[] = [];
  const options = await repairOptions(context, request, abortSignal);
  const nothing = { peeked: 0, resubmittable: 0, skipped: {} };
  // An interrupted repair may have reached its limit, and only has to remove what it sent.
  const rehearsal =
    request.limit === 0
      ? nothing
      : await rehearseRepair({
          ...options,
          abortSignal,
          onRehearsed: (rehearsed) => {
            if (rehearsed.planned !== "not-selected" && kept.length < maxExamples) kept.push(rehearsed);
          },
        });
  const examples: RepairDifference[] = [];
  for (const rehearsed of kept) examples.push(await differenceOf(context, rehearsed));
  const plan = planOf(options);
  const { answer, why } = await mayReach(context, targetOf(request), abortSignal);
  /** `to` is where the messages would go, `plan` what would be done, in words; `forbidden` is why nothing can be sent there. */
  return {
    ...rehearsal,
    to: targetText(plan),
    plan: describePlan(plan),
    forbidden: answer === "no" ? why : undefined,
    examples,
  };
}

/** Rejects with `RequestError` if nothing can be sent to the target of a repair. */
export async function requireTarget(
  context: ExplorerContext,
  request: Pick<RepairRequest, "from" | "to">,
  abortSignal?: AbortSignal,
): Promise<void> {
  const { answer, why = "" } = await mayReach(context, targetOf(request), abortSignal);
  if (answer === "no") throw new RequestError(422, why);
}

/** Where a repair sends to; without a destination, the dead letters of a subscription go through its topic. */
function targetOf({ from, to }: Pick<RepairRequest, "from" | "to">): RepairTarget {
  return to ?? ("queue" in from ? { queue: from.queue } : { topic: from.topic });
}

/** A message before and after; one that stays is compared with itself. */
export async function differenceOf(context: ExplorerContext, { message, outcome, planned }: RehearsedRepair) {
  const [skip, sent] = typeof planned === "string" ? [planned, message] : [undefined, planned];
  const again = skip === undefined ? await readMessage(context, sent as DeliveredMessage) : undefined;
  const values: { path: string; kind: string }[] = [];
  if (again?.status === "decoded" && outcome.status === "decoded")
    compareValues(outcome.body, again.body, (path, kind) => values.push({ path, kind }));
  return {
    sequenceNumber: String(message.sequenceNumber),
    messageId: idText(message.messageId),
    /** Why it would stay; undefined if it would be sent. */
    skip,
    isByteIdentical: isSameBody(message, sent),
    bytesBefore: sizeOf(message),
    bytesAfter: sizeOf(sent),
    properties: propertyDifferences(message, sent),
    /** How the value differs when the new body is read; empty if it is the same. */
    values,
    /** What the chain makes of it then; undefined if it stays. */
    reading: again && readingOf(again),
    before: outcome.status === "decoded" ? valueTree(outcome.body) : undefined,
    after: again?.status === "decoded" ? valueTree(again.body) : undefined,
  };
}

function readingOf(outcome: DeserializationOutcome) {
  const { serializer, messageType, messageVersion } = outcome.report;
  const decisive = outcome.status === "decoded" ? undefined : decisiveAttempt(outcome.report);
  return {
    status: outcome.status,
    serializer,
    messageType,
    messageVersion,
    /** Why it is undeserializable, and where. */
    reason: outcome.status === "undeserializable" ? outcome.reason : undefined,
    attempt: decisive && attemptView(decisive),
  };
}

/** The properties that are added, removed or changed; an absent value is undefined. */
function propertyDifferences(before: DeliveredMessage, after: EncodedMessage) {
  const was = textsOf(before);
  const will = textsOf(after);
  return [...new Set([...was.keys(), ...will.keys()])]
    .filter((name) => was.get(name) !== will.get(name))
    .map((name) => ({ name, before: was.get(name), after: will.get(name) }));
}

function textsOf(message: EncodedMessage): Map<string, string> {
  const { contentType, contentEncoding, subject, sessionId, partitionKey, to, timeToLive } = message;
  const { replyTo, replyToSessionId, viaPartitionKey, scheduledEnqueueTimeUtc, forcePersistence } = message;
  const own = {
    messageId: idText(message.messageId),
    contentType,
    contentEncoding,
    subject,
    correlationId: idText(message.correlationId),
    sessionId,
    partitionKey,
    viaPartitionKey,
    to,
    replyTo,
    replyToSessionId,
    timeToLive,
    scheduledEnqueueTimeUtc,
    forcePersistence,
  } satisfies EveryProperty<Omit<EncodedMessage, "body" | "applicationProperties">>;
  const entries = [...Object.entries(own), ...Object.entries(message.applicationProperties ?? {})];
  return new Map(
    entries.flatMap(([name, value]) =>
      value === undefined ? [] : [[name, propertyText(value).slice(0, 500)]],
    ),
  );
}

function propertyText(value: unknown): string {
  if (value instanceof Date) return value.toISOString();
  return value instanceof Uint8Array ? Buffer.from(value).toString("hex") : String(value);
}

function isSameBody({ body: one }: EncodedMessage, { body: two }: EncodedMessage): boolean {
  if (one === two) return true;
  return one instanceof Uint8Array && two instanceof Uint8Array && Buffer.compare(one, two) === 0;
}

function sizeOf({ body }: EncodedMessage): number {
  return body instanceof Uint8Array ? body.length : 0;
}
