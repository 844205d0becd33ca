import type { EntityName } from "@waybill/core/transport";
import {
  type DeadLetterCriteria,
  openReceiptFile,
  type ReceiptLog,
  type RepairOptions,
  type RepairRehearsal,
  type RepairResult,
  type RepairTarget,
  rehearseRepair,
  repairDeadLetters,
  selectDeadLetters,
} from "@waybill/migration";
import { detectsDuplicates } from "@waybill/migration/tools";
import { type ExitCode, exitCodes } from "../../errors/exit-codes.js";
import { UsageError } from "../../errors/usage-error.js";
import { type DeadLetterAddress, parseDeadLetterQueue } from "../../input/dead-letter-queue.js";
import { parseEntity } from "../../input/parse-entity.js";
import { counted } from "../../output/counted.js";
import type { Terminal } from "../../output/terminal.js";
import {
  type BrokerContext,
  type CommonOptions,
  isInterruption,
  openBrokerContext,
} from "../action-context.js";

export interface RepairCommandOptions extends CommonOptions, DeadLetterCriteria {
  readonly apply?: boolean;
  readonly receipts?: string;
  readonly to?: string;
  readonly transcode?: boolean;
  readonly includeUndeserializable?: boolean;
  readonly targetDetectsDuplicates?: boolean | undefined;
  readonly maxResubmits?: number;
  readonly rate?: number;
  readonly limit?: number;
  readonly wait: number;
}

/** From where to where messages are sent again; without a target, to where they were dead-lettered. */
type RepairPath = Pick<RepairOptions, "to"> & { readonly from: DeadLetterAddress };

export async function repair(path: string, options: RepairCommandOptions): Promise<ExitCode> {
  const { apply: isApplied = false, receipts } = options;
  const repairPath: RepairPath = { from: parseDeadLetterQueue(path), to: parseTarget(options.to) };
  if (isApplied && receipts === undefined) {
    throw new UsageError(
      "--apply needs --receipts FILE: it records what was sent, so that an interrupted repair can be resumed.",
    );
  }
  await using context = await openBrokerContext(options);
  const settings = await withDuplicateDetection(context, repairPath, options);
  noteOtherSubscriptions(context.terminal, repairPath);
  return isApplied && receipts !== undefined
    ? await apply(context, repairPath, settings, receipts)
    : await rehearse(context, repairPath, settings);
}

/** Asks the broker whether the target detects duplicates, because it would drop the messages that it still remembers. */
async function withDuplicateDetection(
  { catalog, terminal, abortSignal }: BrokerContext,
  path: RepairPath,
  options: RepairCommandOptions,
): Promise<RepairCommandOptions> {
  if (options.targetDetectsDuplicates === true) return options;
  const targetDetectsDuplicates = await detectsDuplicates(catalog([]), path, { abortSignal });
  if (targetDetectsDuplicates === undefined) {
    terminal.note(
      "Whether the target detects duplicates is not known: that needs the Manage claim. If it does, give --target-detects-duplicates; otherwise it drops messages that it has received lately.",
    );
  } else if (targetDetectsDuplicates) {
    terminal.note("The target detects duplicates: each message gets a new id.");
  }
  return { ...options, targetDetectsDuplicates };
}

function noteOtherSubscriptions(terminal: Terminal, { from, to = from }: RepairPath): void {
  if (!("topic" in to)) return;
  terminal.note(
    `All subscriptions of ${to.topic} get the messages, except those with the filter that docs/census.md describes under Repair.`,
  );
}

function parseTarget(path: string | undefined): RepairTarget | undefined {
  if (path === undefined) return undefined;
  const topic = /^topic:(.+)$/.exec(path)?.[1];
  if (topic !== undefined) return { topic };
  const { subQueue, ...target } = parseEntity(path);
  if (subQueue === undefined) return target as RepairTarget;
  throw new UsageError("Nothing can be sent to a dead-letter queue.");
}

async function rehearse(
  context: BrokerContext,
  path: RepairPath,
  options: RepairCommandOptions,
): Promise<ExitCode> {
  const { terminal } = context;
  const settings = repairOptions(context, path, options);
  const rehearsal = await terminal.withProgress("dead letters", (show) =>
    rehearseRepair({ ...settings, onPeeked: (peeked) => show(peeked) }),
  );
  if (terminal.isJson) terminal.json({ isApplied: false, ...rehearsal });
  else printRehearsal(terminal, rehearsal);
  return Object.keys(rehearsal.skipped).length === 0 ? exitCodes.ok : exitCodes.found;
}

async function apply(
  context: BrokerContext,
  path: RepairPath,
  options: RepairCommandOptions,
  receiptFile: string,
): Promise<ExitCode> {
  const { terminal } = context;
  const expected = await countOf(context, path);
  const receipts: ReceiptLog = await openReceiptFile(receiptFile);
  let sent = 0;
  try {
    const result = await terminal.withProgress("dead letters", (show) =>
      repairDeadLetters({
        ...repairOptions(context, path, options),
        receipts,
        onProgress(so) {
          sent = so.resubmitted + so.resumed;
          show(doneOf(so), expected);
        },
      }),
    );
    if (terminal.isJson) terminal.json({ isApplied: true, ...result });
    else printResult(terminal, result);
    return Object.keys(result.skipped).length === 0 ? exitCodes.ok : exitCodes.found;
  } catch (error) {
    if (!isInterruption(error, context)) throw error;
    terminal.note(
      `Interrupted: ${counted(sent, "dead letter")} ${sent === 1 ? "was" : "were"} sent again. To go on, run the same command with the same --receipts ${receiptFile}.`,
    );
    return exitCodes.interrupted;
  } finally {
    await receipts.close();
  }
}

function repairOptions(
  { transport, pipeline, abortSignal }: BrokerContext,
  path: RepairPath,
  options: RepairCommandOptions,
): RepairOptions {
  return {
    transport,
    pipeline,
    ...path,
    abortSignal,
    body: options.transcode === true ? "transcode" : "as-is",
    select: selectDeadLetters(options),
    includeUndeserializable: options.includeUndeserializable,
    targetDetectsDuplicates: options.targetDetectsDuplicates,
    maxResubmits: options.maxResubmits,
    maxPerSecond: options.rate,
    limit: options.limit,
    maxWaitTimeInMs: options.wait,
  };
}

/** How many there are, if the catalog knows; for the progress bar. */
async function countOf(
  { catalog, abortSignal }: BrokerContext,
  { from }: RepairPath,
): Promise<number | undefined> {
  const { subQueue, ...name } = from;
  const entities = await catalog([name as EntityName]).listEntities({ abortSignal });
  return entities.at(-1)?.counts?.[subQueue];
}

function doneOf({ resubmitted, resumed, skipped }: RepairResult): number {
  return Object.values(skipped).reduce((sum, count) => sum + count, resubmitted + resumed);
}

function printRehearsal(terminal: Terminal, { peeked, resubmittable, skipped }: RepairRehearsal): void {
  terminal.line(`${resubmittable} of ${counted(peeked, "dead letter")} would be sent again`);
  printSkipped(terminal, skipped);
  if (resubmittable > 0) terminal.line("To do it: --apply --receipts FILE");
}

function printResult(
  terminal: Terminal,
  { resubmitted, resumed, skipped, possibleDuplicates }: RepairResult,
): void {
  terminal.line(`${terminal.colors.bold(String(resubmitted))} sent again`);
  if (resumed > 0)
    terminal.line(`${resumed} had been sent before and ${resumed === 1 ? "was" : "were"} removed now`);
  printSkipped(terminal, skipped);
  if (possibleDuplicates.length === 0) return;
  terminal.line(
    `${possibleDuplicates.length} may have been sent twice, because an earlier repair was interrupted: ${possibleDuplicates.join(", ")}`,
  );
}

function printSkipped(terminal: Terminal, skipped: RepairResult["skipped"]): void {
  for (const [why, count] of Object.entries(skipped))
    terminal.line(`${count} ${count === 1 ? "stays" : "stay"}: ${why}`);
}
