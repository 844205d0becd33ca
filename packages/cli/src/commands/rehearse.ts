import { type RehearsalReport, WaybillClient } from "@waybill/core";
import type { RehearsalGroup } from "@waybill/core/diagnostics";
import type { EntityAddress } from "@waybill/core/transport";
import type { Command } from "commander";
import { type ExitCode, exitCodes } from "../errors/exit-codes.js";
import { parseEntity } from "../input/parse-entity.js";
import { parseCount } from "../input/parse-number.js";
import { counted } from "../output/counted.js";
import { entityText } from "../output/entity-text.js";
import { printable } from "../output/printable.js";
import type { Terminal } from "../output/terminal.js";
import { type CommonOptions, openBrokerContext } from "./command-context.js";
import { brokerCommand, exiting } from "./common-options.js";

/** What to rehearse with. */
interface RehearseCommandOptions extends CommonOptions {
  readonly max: number;
  readonly sessionId?: string;
}

/** `waybill rehearse`: what a consumer with this chain would make of what waits. */
export function rehearseCommand(): Command {
  return brokerCommand("rehearse")
    .summary("what a consumer with this chain would make of what waits")
    .description(
      "Reads the oldest messages of a queue, a subscription or a dead-letter queue as a consumer would, and shows by content type, reader, outcome " +
        "and reason what would happen to them, with the option that would read what cannot be read. Looks without locking and changes nothing.",
    )
    .argument("<entity>", "orders, events/Subscriptions/billing, 'orders/$DeadLetterQueue'", parseEntity)
    .option("-n, --max <number>", "how many messages", parseCount, 100)
    .option("--session-id <id>", "only messages of this session")
    .addHelpText(
      "after",
      `
Examples:
  waybill rehearse orders
  waybill rehearse events/Subscriptions/billing --max 1000
  waybill rehearse 'orders/$DeadLetterQueue' --json | jq .advice

Exits with 1 when one of them would be dead-lettered, or cannot be read for now.`,
    )
    .action(exiting(rehearse));
}

async function rehearse(address: EntityAddress, options: RehearseCommandOptions): Promise<ExitCode> {
  await using context = await openBrokerContext(options);
  const { transport, pipeline, terminal, abortSignal } = context;
  await using client = new WaybillClient(transport, { pipeline });
  const { subQueue: subQueueType } = address;
  const rehearseOptions = {
    maxMessageCount: options.max,
    sessionId: options.sessionId,
    subQueueType,
    abortSignal,
  };
  const report =
    "queue" in address
      ? await client.rehearse(address.queue, rehearseOptions)
      : await client.rehearse(address.topic, address.subscription, rehearseOptions);
  const entityPath =
    "queue" in address ? address.queue : `${address.topic}/Subscriptions/${address.subscription}`;
  if (terminal.isJson) terminal.json(report);
  else printReport(terminal, entityText({ entityPath, subQueue: subQueueType }), report);
  return report.decodedCount === report.messageCount ? exitCodes.ok : exitCodes.found;
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
  const suggestions = new Set(report.groups.flatMap(({ suggestion }) => suggestion ?? []));
  if (report.advice !== undefined) terminal.line(printable(report.advice));
  for (const suggestion of suggestions) {
    if (report.advice?.includes(suggestion) !== true) terminal.line(`Also: ${printable(suggestion)}`);
  }
}

function readerText({ outcome, reader }: RehearsalGroup): string | undefined {
  return outcome === "decoded" ? (reader ?? "(AMQP value)") : undefined;
}
