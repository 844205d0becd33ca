import {
  type Census,
  type RetirementTarget,
  type RetirementVerdict,
  retirementVerdict,
} from "@waybill/migration";
import { type ExitCode, exitCodes } from "../errors/exit-codes.js";
import { UsageError } from "../errors/usage-error.js";
import { readCensus } from "../input/read-census.js";
import { printable } from "../output/printable.js";
import { Terminal } from "../output/terminal.js";
import { type CommonOptions, type EntityOptions, openBrokerContext } from "./action-context.js";
import { runCensus } from "./census.js";

/** What to retire, and the evidence beside the census. */
export interface VerdictOptions extends CommonOptions, EntityOptions {
  readonly messageType?: string;
  readonly messageVersion?: number;
  readonly writersStoppedAt?: Date;
  readonly longestSchedule?: number;
  readonly sessionStatesAreFree?: boolean;
  readonly earlier?: readonly string[];
  readonly census?: string;
}

export async function verdict(serializer: string | undefined, options: VerdictOptions): Promise<ExitCode> {
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
  return await runCensus(context);
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
