import type { EntityName } from "@waybill/core/transport";
import {
  type Census,
  type RetirementTarget,
  type RetirementVerdict,
  retirementVerdict,
} from "@waybill/migration";
import { type Command, Option } from "commander";
import { type ExitCode, exitCodes } from "../errors/exit-codes.js";
import { UsageError } from "../errors/usage-error.js";
import { parseDuration, parseInstant } from "../input/parse-duration.js";
import { parseCount } from "../input/parse-number.js";
import { readCensus } from "../input/read-census.js";
import { printable } from "../output/printable.js";
import { Terminal } from "../output/terminal.js";
import { runCensus } from "./census.js";
import { type CommonOptions, openBrokerContext } from "./command-context.js";
import { brokerCommand, exiting, withEntities } from "./common-options.js";

/** What to retire, and what people know about it. */
interface VerdictOptions extends CommonOptions {
  readonly entity?: readonly EntityName[];
  readonly messageType?: string;
  readonly messageVersion?: number;
  readonly writersStoppedAt?: Date;
  readonly longestSchedule?: number;
  readonly sessionStatesAreFree?: boolean;
  readonly earlier?: readonly string[];
  readonly census?: string;
}

/** `waybill verdict`: decides whether a serializer or a version can be retired. */
export function verdictCommand(): Command {
  return withEntities(brokerCommand("verdict"))
    .summary("decides whether a format or a version can be retired")
    .description(
      "Takes a census and decides whether a serializer, or a version of a message type, can be taken out of the chain without losing a message. Says " +
        "yes only when everything was looked at, nothing that waits needs it, and its writers have stopped.",
    )
    .argument("[serializer]", "the name of the serializer to retire")
    .option("--message-type <name>", "the message type of which a version shall go")
    .option("--message-version <number>", "the version that shall go", parseCount)
    .option(
      "--writers-stopped-at <instant>",
      "when the last producer stopped to write it; without this the verdict is no",
      parseInstant,
    )
    .option(
      "--longest-schedule <duration>",
      "how far ahead producers schedule at most: 2h, 30d",
      parseDuration,
    )
    .option(
      "--session-states-are-free",
      "no session state is written with it; needed where entities have sessions",
    )
    .option("--earlier <file>", "an earlier census, which may have seen it later; can be repeated", collect)
    .addOption(new Option("--census <file>", "check this census instead of taking one").conflicts("entity"))
    .addHelpText(
      "after",
      `
Examples:
  waybill verdict json --writers-stopped-at 2026-11-05T12:00:00Z --longest-schedule 30d
  waybill verdict --message-type order-placed --message-version 1 --writers-stopped-at 2026-11-05T12:00:00Z
  waybill verdict json --census today.json --earlier monday.json --writers-stopped-at 2026-11-05T12:00:00Z

Exits with 0 for yes and with 1 for no. With --entity it holds for the named entities only.`,
    )
    .action(exiting(verdict));
}

async function verdict(serializer: string | undefined, options: VerdictOptions): Promise<ExitCode> {
  const target = targetOf(serializer, options);
  const earlier = await Promise.all((options.earlier ?? []).map(readCensus));
  const census = await censusOf(options);
  const checked = retirementVerdict(target, census, {
    writersStoppedAt: options.writersStoppedAt,
    maxScheduleDurationInMs: options.longestSchedule,
    sessionStatesAreFree: options.sessionStatesAreFree,
    earlier,
  });
  const terminal = new Terminal(options.json);
  if (terminal.isJson) terminal.json(checked);
  else print(terminal, checked, options.entity !== undefined);
  return checked.isSafe ? exitCodes.ok : exitCodes.found;
}

function targetOf(serializer: string | undefined, options: VerdictOptions): RetirementTarget {
  const { messageType, messageVersion: version } = options;
  if (serializer !== undefined && messageType === undefined && version === undefined) return { serializer };
  if (serializer === undefined && messageType !== undefined && version !== undefined)
    return { messageType, version };
  throw new UsageError("Name a serializer, or --message-type together with --message-version.");
}

async function censusOf(options: VerdictOptions): Promise<Census> {
  if (options.census !== undefined) return await readCensus(options.census);
  await using context = await openBrokerContext(options);
  return await runCensus(context, options);
}

function print(
  terminal: Terminal,
  { target, isSafe, waiting, lastSeenAt, waitsUntil, reasons }: RetirementVerdict,
  isPart: boolean,
): void {
  const { green, red, bold } = terminal.colors;
  const name = "serializer" in target ? target.serializer : `${target.messageType} version ${target.version}`;
  const scope = isPart ? ", in the entities that were named" : "";
  terminal.line(`safe to retire ${bold(printable(name))}${scope}: ${isSafe ? green("yes") : red("no")}`);
  for (const { obstacle, text } of reasons) terminal.line(`  ${obstacle}: ${printable(text)}`);
  const until = waitsUntil === undefined ? "" : `, the last until ${waitsUntil.toISOString()}`;
  terminal.line(`waiting: ${waiting}${until}; last seen: ${lastSeenAt?.toISOString() ?? "never"}`);
}

function collect(path: string, paths: readonly string[] = []): readonly string[] {
  return [...paths, path];
}
