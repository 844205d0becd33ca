import {
  type Census,
  queueReadStore,
  type ReadRecord,
  type RetirementReason,
  type RetirementTarget,
  type RetirementVerdict,
  retirementVerdict,
} from "@waybill/migration/census";
import { type ExitCode, exitCodes } from "../errors/exit-codes.js";
import { UsageError } from "../errors/usage-error.js";
import { readCensus } from "../input/read-census.js";
import { withOptionNames } from "../output/option-names.js";
import { printable } from "../output/printable.js";
import { Terminal } from "../output/terminal.js";
import {
  type CommonOptions,
  type EntityOptions,
  openBrokerContext,
  type SharedWorkOptions,
} from "./action-context.js";
import { withCensus } from "./census.js";
import { checkSharing } from "./sharing.js";

/** What to retire, and the evidence beside the census. */
export interface VerdictOptions extends CommonOptions, EntityOptions, SharedWorkOptions {
  readonly messageType?: string;
  readonly messageVersion?: number;
  readonly writersStoppedAt?: Date;
  readonly longestSchedule?: number;
  readonly sessionStatesAreFree?: boolean;
  readonly earlier?: readonly string[];
  readonly reads?: readonly string[];
  readonly reader?: readonly string[];
  readonly census?: string;
}

export async function verdict(serializer: string | undefined, options: VerdictOptions): Promise<ExitCode> {
  checkSharing(options);
  const target = targetOf(serializer, options);
  const earlier = await Promise.all((options.earlier ?? []).map(readCensus));
  return await withObservations(options, (census, reads) => {
    const checked = retirementVerdict(target, census, {
      writersStoppedAt: options.writersStoppedAt,
      maxScheduleDurationInMs: options.longestSchedule,
      sessionStatesAreFree: options.sessionStatesAreFree,
      earlier,
      reads,
      readers: options.reader,
    });
    const terminal = new Terminal(options.json);
    const reasons = checked.reasons.map(inWordsOfCommand);
    if (terminal.isJson) terminal.json({ ...checked, reasons });
    else print(terminal, checked, reasons, options.entity !== undefined);
    return checked.answer === "yes" ? exitCodes.ok : exitCodes.found;
  });
}

function inWordsOfCommand(reason: RetirementReason): RetirementReason {
  return { ...reason, text: withOptionNames(reason.text), todo: withOptionNames(reason.todo) };
}

function targetOf(serializer: string | undefined, options: VerdictOptions): RetirementTarget {
  const { messageType, messageVersion: version } = options;
  if (serializer !== undefined && messageType === undefined && version === undefined) return { serializer };
  if (serializer === undefined && messageType !== undefined && version !== undefined)
    return { messageType, version };
  throw new UsageError("Name a serializer, or --message-type together with --message-version.");
}

/** The census, and what consumers have recorded. With a census from a file the broker is asked only for the records. */
async function withObservations(
  options: VerdictOptions,
  decide: (census: Census, reads: readonly ReadRecord[]) => ExitCode,
): Promise<ExitCode> {
  const given = options.census === undefined ? undefined : await readCensus(options.census);
  if (given !== undefined && options.reads === undefined) return decide(given, []);
  await using context = await openBrokerContext(options);
  const decideWithReads = async (census: Census): Promise<ExitCode> => {
    const reads: ReadRecord[] = [];
    for (const queue of options.reads ?? []) {
      await using store = queueReadStore(context.transport, queue);
      reads.push(...(await store.list({ abortSignal: context.abortSignal })));
    }
    return decide(census, reads);
  };
  return given === undefined
    ? await withCensus(context, options, decideWithReads)
    : await decideWithReads(given);
}

function print(
  terminal: Terminal,
  { target, answer, evidence, waiting, lastSeenAt, lastReadAt, waitsUntil }: RetirementVerdict,
  reasons: readonly RetirementReason[],
  isPart: boolean,
): void {
  const { green, red, bold } = terminal.colors;
  const shown = { yes: green("yes"), no: red("no"), "not-known": red("not known") }[answer];
  const name = "serializer" in target ? target.serializer : `${target.messageType} version ${target.version}`;
  const scope = isPart ? ", in the entities that were named" : "";
  terminal.line(`safe to retire ${bold(printable(name))}${scope}: ${shown}`);
  for (const { obstacle, text, todo } of reasons) {
    terminal.line(`  ${obstacle}: ${printable(text)}`);
    terminal.line(`    ${printable(todo)}`);
  }
  for (const sentence of evidence) terminal.line(`  ${printable(sentence)}`);
  const until = waitsUntil === undefined ? "" : `, the last until ${waitsUntil.toISOString()}`;
  terminal.line(
    `waiting: ${waiting}${until}; last seen: ${lastSeenAt?.toISOString() ?? "never"}; last read: ${lastReadAt?.toISOString() ?? "not recorded"}`,
  );
}
