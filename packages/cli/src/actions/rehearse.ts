import { type RehearsalReport, WaybillClient } from "@waybill/core";
import type { RehearsalGroup } from "@waybill/core/diagnostics";
import { type EntityAddress, entityPathOf } from "@waybill/core/transport";
import { type ExitCode, exitCodes } from "../errors/exit-codes.js";
import { UsageError } from "../errors/usage-error.js";
import { parseEntity } from "../input/parse-entity.js";
import { counted } from "../output/counted.js";
import { withOptionNames } from "../output/option-names.js";
import { printable } from "../output/printable.js";
import type { Terminal } from "../output/terminal.js";
import { type BrokerContext, type CommonOptions, openBrokerContext } from "./action-context.js";

/** What to rehearse with. */
export interface RehearseCommandOptions extends CommonOptions {
  readonly max?: number;
  readonly watch?: number;
  readonly mirror?: boolean;
  readonly sessionId?: string;
}

export async function rehearse(path: string, options: RehearseCommandOptions): Promise<ExitCode> {
  const address = parseEntity(path);
  if (options.mirror !== true) {
    await using context = await openBrokerContext(options);
    return await rehearseEntity(address, options, context);
  }
  const topic = topicOf(address);
  if (options.watch === undefined) throw new UsageError("--mirror sees only what comes: give --watch, too.");
  await using context = await openBrokerContext(options);
  await using mirror = await context.mirror(topic, options.watch);
  context.terminal.note(
    `Watching ${entityPathOf(mirror.address)}, which was made for this and is removed at the end.`,
  );
  return await rehearseEntity(mirror.address, options, context);
}

function topicOf(address: EntityAddress): string {
  if ("queue" in address && address.subQueue === undefined) return address.queue;
  throw new UsageError("--mirror takes the name of a topic, without a subscription.");
}

async function rehearseEntity(
  address: EntityAddress,
  options: RehearseCommandOptions,
  { transport, pipeline, terminal, abortSignal }: BrokerContext,
): Promise<ExitCode> {
  await using client = new WaybillClient(transport, { pipeline });
  const { subQueue: subQueueType } = address;
  const rehearseOptions = {
    maxMessageCount: options.max,
    watchForInMs: options.watch,
    sessionId: options.sessionId,
    subQueueType,
    abortSignal,
  };
  const report =
    "queue" in address
      ? await client.rehearse(address.queue, rehearseOptions)
      : await client.rehearse(address.topic, address.subscription, rehearseOptions);
  const { missing } = report;
  if (terminal.isJson) terminal.json({ ...report, missing: missing && withOptionNames(missing) });
  else printReport(terminal, entityPathOf(address), report);
  return report.answer === "proved" ? exitCodes.ok : exitCodes.found;
}

function printReport(terminal: Terminal, entity: string, report: RehearsalReport): void {
  if (report.groups.length > 0) {
    terminal.table(
      ["CONTENT TYPE", "TYPE", "READ BY", "OUTCOME", "REASON", "COUNT", "FIRST"],
      report.groups.map((group) => [
        group.contentType,
        group.messageType,
        readerText(group),
        group.outcome,
        group.reason,
        group.messageCount,
        group.firstSequenceNumber,
      ]),
    );
    terminal.line();
  }
  const rest = report.isWhole ? "" : ", and there are more";
  terminal.line(
    `${printable(entity)}: ${report.decodedCount} of ${counted(report.messageCount, "message")} can be read${rest}`,
  );
  terminal.line(
    `this chain reads what comes here: ${report.answer === "not-known" ? "not known" : report.answer}`,
  );
  if (report.missing !== undefined) terminal.line(printable(withOptionNames(report.missing)));
  const suggestions = new Set(report.groups.flatMap(({ suggestion }) => suggestion ?? []));
  if (report.advice !== undefined) terminal.line(printable(report.advice));
  for (const suggestion of suggestions) {
    if (report.advice?.includes(suggestion) !== true) terminal.line(`Also: ${printable(suggestion)}`);
  }
  for (const { looksLike, messageCount, firstSequenceNumber } of report.groups) {
    if (looksLike === undefined) continue;
    terminal.line(`${counted(messageCount, "message")} from ${firstSequenceNumber}: ${printable(looksLike)}`);
  }
}

function readerText({ outcome, reader }: RehearsalGroup): string | undefined {
  return outcome === "decoded" ? (reader ?? "(none needed)") : undefined;
}
