import { access } from "node:fs/promises";
import { WaybillError } from "@waybill/core";
import { type EntityName, entityPathOf } from "@waybill/core/transport";
import {
  type DeadLetterCriteria,
  type InterruptedRepair,
  interruptedRepair,
  openReceiptFile,
  type ReceiptLog,
  type RepairOptions,
  type RepairRehearsal,
  type RepairResult,
  type RepairTarget,
  rehearseRepair,
  repairDeadLetters,
} from "@waybill/migration/repair";
import { detectsDuplicates } from "@waybill/migration/tools";
import { type ExitCode, exitCodes } from "../../errors/exit-codes.js";
import { UsageError } from "../../errors/usage-error.js";
import { type DeadLetterAddress, parseDeadLetterQueue } from "../../input/dead-letter-queue.js";
import { parseEntity } from "../../input/parse-entity.js";
import { counted } from "../../output/counted.js";
import { planText } from "../../output/plan-text.js";
import { printable } from "../../output/printable.js";
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
  readonly throughTopic?: boolean;
  readonly resume?: boolean;
  readonly replace?: boolean;
  readonly transcode?: boolean;
  readonly includeUndeserializable?: boolean;
  readonly targetDetectsDuplicates?: boolean | undefined;
  readonly maxResubmits?: number;
  readonly rate?: number;
  readonly limit?: number;
  readonly wait: number;
}

/** What is sent again, from where to where and how. */
type Settings = Omit<RepairOptions, "transport" | "pipeline" | "receipts" | "from"> & {
  readonly from: DeadLetterAddress;
};

export async function repair(path: string, options: RepairCommandOptions): Promise<ExitCode> {
  const { apply: isApplied = false, receipts } = options;
  const from = parseDeadLetterQueue(path);
  if (isApplied && receipts === undefined) {
    throw new UsageError(
      "--apply needs --receipts FILE: it records what was sent, so that an interrupted repair can be resumed.",
    );
  }
  if (options.resume === true && receipts === undefined)
    throw new UsageError("--resume needs --receipts FILE, which holds the interrupted repair.");
  const given = settingsOf(from, options);
  await using context = await openBrokerContext(options);
  const interrupted = await interruptedIn(receipts, from);
  const settings =
    options.resume === true
      ? resumed(context.terminal, given, interrupted, receipts)
      : await withDuplicateDetection(context, given);
  noteOtherSubscriptions(context.terminal, settings);
  if (!isApplied || receipts === undefined) return await rehearse(context, settings, interrupted, options);
  try {
    return await apply(context, settings, receipts);
  } catch (error) {
    if (interrupted === undefined || !isOtherPlan(error)) throw error;
    throw new UsageError(
      `${printable(receipts)} holds an interrupted repair with another plan: ${planText(interrupted)}. Continue it with --resume and without the options of a plan, or give it up with --replace.`,
    );
  }
}

function settingsOf(from: DeadLetterAddress, options: RepairCommandOptions): Settings {
  const { reason, messageType, format, number } = options;
  const criteria = { reason, messageType, format, number };
  const to = parseTarget(options.to);
  if ("topic" in from && to === undefined && options.throughTopic !== true && options.resume !== true) {
    throw new UsageError(
      `The dead letters of ${printable(from.subscription)} cannot be sent to that subscription. Name a target, for example --to QUEUE; or give --through-topic, with which all subscriptions of ${printable(from.topic)} get them, except those with the filter that docs/census.md describes under Repair.`,
    );
  }
  return {
    from,
    to,
    throughTopic: options.throughTopic,
    interrupted: options.replace === true ? "replace" : "resume",
    body: options.transcode === true ? "transcode" : "as-is",
    select: Object.values(criteria).some((list) => list !== undefined) ? criteria : undefined,
    includeUndeserializable: options.includeUndeserializable,
    targetDetectsDuplicates: options.targetDetectsDuplicates,
    maxResubmits: options.maxResubmits,
    maxPerSecond: options.rate,
    limit: options.limit,
    maxWaitTimeInMs: options.wait,
  };
}

/** Without creating the file. */
async function interruptedIn(
  receipts: string | undefined,
  from: DeadLetterAddress,
): Promise<InterruptedRepair | undefined> {
  if (receipts === undefined) return undefined;
  const exists = await access(receipts).then(
    () => true,
    () => false,
  );
  if (!exists) return undefined;
  const log = await openReceiptFile(receipts);
  try {
    return await interruptedRepair(log, from);
  } finally {
    await log.close();
  }
}

/** The plan of an interrupted repair, instead of what the command line says. */
function resumed(
  terminal: Terminal,
  { from, maxWaitTimeInMs }: Settings,
  interrupted: InterruptedRepair | undefined,
  receipts = "",
): Settings {
  if (interrupted === undefined) {
    throw new UsageError(
      `${printable(receipts)} holds no interrupted repair of ${printable(entityPathOf(from))}.`,
    );
  }
  const { plan, isSelectedByFunction, sent, maybeSent } = interrupted;
  if (isSelectedByFunction) {
    throw new UsageError(
      "A program began this repair and selects its messages with a function, which receipts cannot hold: continue it with that program.",
    );
  }
  const maybe = maybeSent === 0 ? "" : `, ${maybeSent} more may have been`;
  terminal.note(`Continues: ${planText(interrupted)}; ${sent} sent so far${maybe}.`);
  return { ...plan, from, maxWaitTimeInMs };
}

function isOtherPlan(error: unknown): boolean {
  return (
    error instanceof WaybillError &&
    error.code === "configuration-invalid" &&
    error.text.includes("with another plan")
  );
}

/** Asks the broker whether the target detects duplicates, because it would drop the messages that it still remembers. */
async function withDuplicateDetection(
  { catalog, terminal, abortSignal }: BrokerContext,
  settings: Settings,
): Promise<Settings> {
  if (settings.targetDetectsDuplicates === true) return settings;
  const targetDetectsDuplicates = await detectsDuplicates(catalog([]), settings, { abortSignal });
  if (targetDetectsDuplicates === undefined) {
    terminal.note(
      "Whether the target detects duplicates is not known: this key may not list the entities, or it is not among them. If it does, give --target-detects-duplicates; otherwise it drops messages that it has received lately.",
    );
  } else if (targetDetectsDuplicates) {
    terminal.note("The target detects duplicates: each message gets a new id.");
  }
  return { ...settings, targetDetectsDuplicates };
}

function noteOtherSubscriptions(terminal: Terminal, { from, to = from }: Settings): void {
  if (!("topic" in to)) return;
  terminal.note(
    `All subscriptions of ${to.topic} get the messages, except those with the filter that docs/census.md describes under Repair.`,
  );
}

export function parseTarget(path: string | undefined): RepairTarget | undefined {
  if (path === undefined) return undefined;
  const topic = /^topic:(.+)$/.exec(path)?.[1];
  if (topic !== undefined) return { topic };
  const { subQueue, ...target } = parseEntity(path);
  if (subQueue === undefined) return target as RepairTarget;
  throw new UsageError("Nothing can be sent to a dead-letter queue.");
}

async function rehearse(
  { transport, pipeline, terminal, abortSignal }: BrokerContext,
  settings: Settings,
  interrupted: InterruptedRepair | undefined,
  { resume, receipts }: RepairCommandOptions,
): Promise<ExitCode> {
  const limit = resume === true ? leftOf(interrupted) : settings.limit;
  const rehearsal =
    limit === 0
      ? { peeked: 0, resubmittable: 0, skipped: {} }
      : await terminal.withProgress("dead letters", (show) =>
          rehearseRepair({
            transport,
            pipeline,
            ...settings,
            limit,
            abortSignal,
            onPeeked: (peeked) => show(peeked),
          }),
        );
  if (terminal.isJson) terminal.json({ isApplied: false, ...rehearsal });
  else printRehearsal(terminal, rehearsal);
  if (interrupted !== undefined && resume !== true)
    terminal.note(
      `${printable(receipts ?? "")} holds an interrupted repair: ${planText(interrupted)}. To continue that one: --resume.`,
    );
  return Object.keys(rehearsal.skipped).length === 0 ? exitCodes.ok : exitCodes.found;
}

/** How many messages the plan still allows; undefined for no limit. */
function leftOf(interrupted: InterruptedRepair | undefined): number | undefined {
  const limit = interrupted?.plan.limit;
  return limit === undefined ? undefined : Math.max(0, limit - (interrupted?.sent ?? 0));
}

async function apply(context: BrokerContext, settings: Settings, receiptFile: string): Promise<ExitCode> {
  const { transport, pipeline, terminal, abortSignal } = context;
  const expected = await countOf(context, settings);
  const receipts: ReceiptLog = await openReceiptFile(receiptFile);
  let sent = 0;
  try {
    const result = await terminal.withProgress("dead letters", (show) =>
      repairDeadLetters({
        transport,
        pipeline,
        ...settings,
        abortSignal,
        receipts,
        onProgress(so) {
          sent = so.resubmitted + so.resumed;
          show(doneOf(so), expected);
        },
      }),
    );
    if (terminal.isJson) terminal.json({ isApplied: true, ...result });
    else printResult(terminal, result, receiptFile);
    const isWhole = Object.keys(result.skipped).length === 0 && result.locked === undefined;
    return isWhole ? exitCodes.ok : exitCodes.found;
  } catch (error) {
    if (!isInterruption(error, context)) throw error;
    terminal.note(
      `Interrupted: ${counted(sent, "dead letter")} ${sent === 1 ? "was" : "were"} sent again. To go on: --apply --receipts ${receiptFile} --resume.`,
    );
    return exitCodes.interrupted;
  } finally {
    await receipts.close();
  }
}

/** How many there are, if the catalog knows; for the progress bar. */
async function countOf(
  { catalog, abortSignal }: BrokerContext,
  { from }: Settings,
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
  { resubmitted, resumed, skipped, possibleDuplicates, locked }: RepairResult,
  receiptFile: string,
): void {
  terminal.line(`${terminal.colors.bold(String(resubmitted))} sent again`);
  if (resumed > 0)
    terminal.line(`${resumed} had been sent before and ${resumed === 1 ? "was" : "were"} removed now`);
  printSkipped(terminal, skipped);
  if (locked !== undefined) {
    terminal.line(
      `${locked.count} ${locked.count === 1 ? "is" : "are"} locked by a repair that was killed, or by another receiver, until ${locked.until.toISOString()} at the latest. Run this again then: --apply --receipts ${printable(receiptFile)} --resume`,
    );
  }
  if (possibleDuplicates.length === 0) return;
  terminal.line(
    `${possibleDuplicates.length} may have been sent twice, because an earlier repair was interrupted: ${possibleDuplicates.join(", ")}`,
  );
}

function printSkipped(terminal: Terminal, skipped: RepairResult["skipped"]): void {
  for (const [why, count] of Object.entries(skipped))
    terminal.line(`${count} ${count === 1 ? "stays" : "stay"}: ${why}`);
}
