import type { EncodedMessage } from "@waybill/core";
import type { DeliveredMessage } from "@waybill/core/transport";
import { rehearseRepair } from "@waybill/migration/repair";
import {
  compareValues,
  describePlan,
  planOf,
  type RehearsedRepair,
  targetText,
} from "@waybill/migration/tools";
import type { ExplorerContext } from "../options/explorer-options.js";
import { maySend } from "../reads/may-send.js";
import { idText } from "../reads/message-row.js";
import { readMessage } from "../reads/peek.js";
import { valueTree } from "../values/value-tree.js";
import { type RepairRequest, repairOptions } from "./repair-request.js";

/** What a repair would do, with the differences for some of the messages. */
export type RepairPreview = Awaited<ReturnType<typeof previewRepair>>;

/** A message before and after. */
export type RepairDifference = Awaited<ReturnType<typeof difference>>;

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
  for (const rehearsed of kept) examples.push(await difference(context, rehearsed));
  const plan = planOf(options);
  const { answer, why } = await maySend(context, targetOf(request), abortSignal);
  /** `to` is where the messages would go, `plan` what would be done, in words; `forbidden` is why nothing can be sent there. */
  return {
    ...rehearsal,
    to: targetText(plan),
    plan: describePlan(plan),
    forbidden: answer === "no" ? why : undefined,
    examples,
  };
}

/** The queue or topic to send to. */
function targetOf({ from, to }: RepairRequest): string {
  const target = to ?? from;
  return "queue" in target ? target.queue : target.topic;
}

/** A message that stays is compared with itself. */
async function difference(context: ExplorerContext, { message, outcome, planned }: RehearsedRepair) {
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
    before: outcome.status === "decoded" ? valueTree(outcome.body) : undefined,
    after: again?.status === "decoded" ? valueTree(again.body) : undefined,
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
  const { contentType, subject, sessionId, scheduledEnqueueTimeUtc } = message;
  const own = {
    messageId: idText(message.messageId),
    contentType,
    subject,
    sessionId,
    scheduledEnqueueTimeUtc,
  };
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
