import type { EncodedMessage } from "@waybill/core";
import type { DeliveredMessage } from "@waybill/core/transport";
import { type RehearsedMessage, rehearseRepair } from "@waybill/migration";
import { compareValues } from "@waybill/migration/tools";
import type { ExplorerContext } from "../options/explorer-options.js";
import { idText } from "../reads/message-row.js";
import { readMessage } from "../reads/peek.js";
import { type ValueNode, valueTree } from "../values/value-tree.js";
import { originOf, type RepairRequest, repairOptions } from "./repair-request.js";

/** What a repair would do, with the differences for some of the messages. */
export interface RepairPreview {
  readonly peeked: number;
  readonly resubmittable: number;
  readonly skipped: Readonly<Partial<Record<string, number>>>;
  /** Where the messages would go. */
  readonly to: string;
  readonly examples: readonly RepairDifference[];
}

/** A message before and after. */
export interface RepairDifference {
  readonly sequenceNumber: string;
  readonly messageId: string | undefined;
  /** Why it would stay; undefined if it would be sent. */
  readonly skip: string | undefined;
  /** Whether the bytes of the body are the same. */
  readonly isByteIdentical: boolean;
  readonly bytesBefore: number;
  readonly bytesAfter: number;
  readonly properties: readonly PropertyDifference[];
  /** How the value differs when the new body is read; empty if it is the same. */
  readonly values: readonly { readonly path: string; readonly kind: string }[];
  readonly before: ValueNode | undefined;
  readonly after: ValueNode | undefined;
}

/** A property that is added, removed or changed; the absent value is undefined. */
export interface PropertyDifference {
  readonly name: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

const maxExamples = 10;

/** Rehearses a repair. Locks and changes nothing. */
export async function previewRepair(
  context: ExplorerContext,
  request: RepairRequest,
  abortSignal?: AbortSignal,
): Promise<RepairPreview> {
  const kept: RehearsedMessage[] = [];
  const rehearsal = await rehearseRepair({
    ...(await repairOptions(context, request, abortSignal)),
    abortSignal,
    onRehearsed: (rehearsed) => {
      if (rehearsed.planned !== "not-selected" && kept.length < maxExamples) kept.push(rehearsed);
    },
  });
  const examples: RepairDifference[] = [];
  for (const rehearsed of kept) examples.push(await difference(context, rehearsed));
  const { to } = request;
  const target = to === undefined ? originOf(request.from) : originOf(to as never);
  return { ...rehearsal, to: target, examples };
}

async function difference(
  context: ExplorerContext,
  { message, outcome, planned }: RehearsedMessage,
): Promise<RepairDifference> {
  const base = { sequenceNumber: String(message.sequenceNumber), messageId: idText(message.messageId) };
  const before = outcome.status === "decoded" ? valueTree(outcome.body) : undefined;
  const bytesBefore = sizeOf(message);
  if (typeof planned === "string") {
    const nothing = {
      isByteIdentical: true,
      bytesAfter: bytesBefore,
      properties: [],
      values: [],
      after: undefined,
    };
    return { ...base, skip: planned, bytesBefore, before, ...nothing };
  }
  const again = await readMessage(context, planned as DeliveredMessage);
  const values: { path: string; kind: string }[] = [];
  if (again.status === "decoded" && outcome.status === "decoded")
    compareValues(outcome.body, again.body, (path, kind) => values.push({ path, kind }));
  return {
    ...base,
    skip: undefined,
    isByteIdentical: isSameBody(message, planned),
    bytesBefore,
    bytesAfter: sizeOf(planned),
    properties: propertyDifferences(message, planned),
    values,
    before,
    after: again.status === "decoded" ? valueTree(again.body) : undefined,
  };
}

function propertyDifferences(before: DeliveredMessage, after: EncodedMessage): PropertyDifference[] {
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
