import { type EntityCatalog, entityPathOf } from "@waybill/core/transport";
import { type DeadLetterCriteria, rehearseRepair } from "@waybill/migration/repair";
import { detectsDuplicates } from "@waybill/migration/tools";
import { type SharedRepair, shareRepair } from "@waybill/migration/work";
import { type ExitCode, exitCodes } from "../../errors/exit-codes.js";
import { withoutSecrets } from "../../errors/without-secrets.js";
import { type DeadLetterAddress, parseDeadLetterQueue } from "../../input/dead-letter-queue.js";
import { counted } from "../../output/counted.js";
import { printable } from "../../output/printable.js";
import type { Cell } from "../../output/table-text.js";
import type { Terminal } from "../../output/terminal.js";
import {
  type BrokerContext,
  type CommonOptions,
  openBrokerContext,
  type SharedWorkOptions,
} from "../action-context.js";
import { sharing } from "../sharing.js";
import { parseTarget } from "./repair.js";

export interface RepairAllOptions extends CommonOptions, SharedWorkOptions, DeadLetterCriteria {
  readonly workQueue: string;
  readonly apply?: boolean;
  readonly to?: string;
  readonly throughTopic?: boolean;
  readonly transcode?: boolean;
  readonly includeUndeserializable?: boolean;
  readonly maxResubmits?: number;
  readonly rate?: number;
  readonly wait: number;
}

export async function repairAll(paths: readonly string[], options: RepairAllOptions): Promise<ExitCode> {
  const named = paths.map(parseDeadLetterQueue);
  const settings = settingsOf(options);
  await using context = await openBrokerContext(options);
  const { transport, pipeline, terminal, abortSignal } = context;
  const reach = options.to !== undefined || options.throughTopic === true ? "all" : "queues";
  const from = named.length > 0 ? named : await deadLetterQueues(context, reach, options.workQueue);
  const detects = await duplicateDetection(context, from, settings);
  const work = { transport, pipeline, abortSignal };
  if (options.apply !== true) return await rehearse(terminal, from, { ...work, ...settings, detects });
  const shared = { ...work, ...sharing(context, options), workQueue: options.workQueue, from };
  await using repair = await terminal.withProgress("queues", (show) =>
    shareRepair({
      ...shared,
      repair: { ...settings, maxWaitTimeInMs: options.wait },
      detectsDuplicates: (queue) => detects.has(entityPathOf(queue)),
      onItems: ({ finished, items }) => show(finished, items),
    }),
  );
  if (terminal.isJson) terminal.json({ isApplied: true, queues: repair.result });
  else printRepairs(terminal, repair.result);
  await terminal.written();
  await repair.remove();
  return repair.result.every(isWhole) ? exitCodes.ok : exitCodes.found;
}

function settingsOf(options: RepairAllOptions) {
  const { reason, messageType, format, number } = options;
  const criteria = { reason, messageType, format, number };
  return {
    to: parseTarget(options.to),
    throughTopic: options.throughTopic,
    body: options.transcode === true ? "transcode" : "as-is",
    select: Object.values(criteria).some((list) => list !== undefined) ? criteria : undefined,
    includeUndeserializable: options.includeUndeserializable,
    maxResubmits: options.maxResubmits,
    maxPerSecond: options.rate,
  } as const;
}

/** Whether they are empty or not: a job that is continued is to find all that it began with. */
async function deadLetterQueues(
  { catalog, abortSignal }: BrokerContext,
  reach: "all" | "queues",
  workQueue: string,
): Promise<DeadLetterAddress[]> {
  const entities = await catalog([]).listEntities({ abortSignal });
  return entities.flatMap(({ entity }): DeadLetterAddress[] => {
    if ("queue" in entity)
      return entity.queue.toLowerCase() === workQueue.toLowerCase()
        ? []
        : [{ ...entity, subQueue: "deadLetter" }];
    const { topic, subscription } = entity;
    return subscription === undefined || reach === "queues"
      ? []
      : [{ topic, subscription, subQueue: "deadLetter" }];
  });
}

/** The paths of the dead-letter queues whose targets detect duplicates. */
async function duplicateDetection(
  { catalog, terminal, abortSignal }: BrokerContext,
  from: readonly DeadLetterAddress[],
  { to }: ReturnType<typeof settingsOf>,
): Promise<ReadonlySet<string>> {
  let listed: ReturnType<EntityCatalog["listEntities"]> | undefined;
  const once: EntityCatalog = { listEntities: (call) => (listed ??= catalog([]).listEntities(call)) };
  const detecting = new Set<string>();
  let isKnown = true;
  for (const queue of from) {
    const detects = await detectsDuplicates(once, { from: queue, to }, { abortSignal });
    if (detects === undefined) isKnown = false;
    if (detects === true) detecting.add(entityPathOf(queue));
  }
  if (!isKnown) {
    terminal.note(
      "Whether the targets detect duplicates is not known: this key may not list the entities, or some are not among them. One that does drops messages that it has received lately.",
    );
  }
  return detecting;
}

async function rehearse(
  terminal: Terminal,
  from: readonly DeadLetterAddress[],
  {
    detects,
    ...work
  }: Pick<BrokerContext, "transport" | "pipeline" | "abortSignal"> &
    ReturnType<typeof settingsOf> & { readonly detects: ReadonlySet<string> },
): Promise<ExitCode> {
  const queues = await terminal.withProgress("queues", async (show) => {
    const rehearsed = [];
    for (const queue of from) {
      const path = entityPathOf(queue);
      const targetDetectsDuplicates = detects.has(path);
      rehearsed.push({
        from: path,
        ...(await rehearseRepair({ ...work, from: queue, targetDetectsDuplicates })),
      });
      show(rehearsed.length, from.length);
    }
    return rehearsed;
  });
  if (terminal.isJson) terminal.json({ isApplied: false, queues });
  else {
    const filled = queues.filter(({ peeked }) => peeked > 0);
    if (filled.length > 0) {
      terminal.table(
        ["QUEUE", "WOULD BE SENT", "WOULD STAY"],
        filled.map(({ from: path, resubmittable, skipped }) => [path, resubmittable, stayText(skipped)]),
      );
    }
    const sum = queues.reduce((total, { resubmittable }) => total + resubmittable, 0);
    terminal.line(
      `${counted(sum, "dead letter")} would be sent again${sum > 0 ? ". To do it: --apply" : ""}`,
    );
  }
  return queues.every(({ skipped }) => stayText(skipped) === undefined) ? exitCodes.ok : exitCodes.found;
}

function printRepairs(terminal: Terminal, repairs: readonly SharedRepair[]): void {
  const worthARow = repairs.filter((repair) => !isWhole(repair) || (repair.repaired?.resubmitted ?? 0) > 0);
  if (worthARow.length > 0) {
    terminal.table(
      ["QUEUE", "SENT", "STAY", "LOCKED", "MAYBE TWICE", "FAILED"],
      worthARow.map(({ from, repaired, error }): Cell[] => [
        from,
        repaired?.resubmitted,
        stayText(repaired?.skipped ?? {}),
        repaired?.locked?.count,
        repaired?.possibleDuplicates.length || undefined,
        error && printable(withoutSecrets(`${error.code}: ${error.text}`)),
      ]),
    );
  }
  const sent = repairs.reduce((sum, { repaired }) => sum + (repaired?.resubmitted ?? 0), 0);
  terminal.line(`${counted(sent, "dead letter")} sent again, of ${counted(repairs.length, "queue")}`);
}

function stayText(skipped: Readonly<Record<string, number>>): string | undefined {
  const texts = Object.entries(skipped).map(([why, count]) => `${count} ${why}`);
  return texts.length === 0 ? undefined : texts.join(", ");
}

function isWhole({ repaired }: SharedRepair): boolean {
  return repaired?.locked === undefined && repaired !== undefined && stayText(repaired.skipped) === undefined;
}
