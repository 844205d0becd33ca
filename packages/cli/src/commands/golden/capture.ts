import type { EntityName } from "@waybill/core/transport";
import { captureGoldenMessages, type GoldenCapture, writeGoldenMessages } from "@waybill/migration/golden";
import type { Command } from "commander";
import { type ExitCode, exitCodes } from "../../errors/exit-codes.js";
import { parseCount } from "../../input/parse-number.js";
import { counted } from "../../output/counted.js";
import type { Terminal } from "../../output/terminal.js";
import { type CommonOptions, openBrokerContext } from "../command-context.js";
import { brokerCommand, exiting, withEntities } from "../common-options.js";

interface CaptureOptions extends CommonOptions {
  readonly entity?: readonly EntityName[];
  readonly samples?: number;
  readonly keep?: readonly string[];
  readonly redact: boolean;
  readonly limit?: number;
}

/** `waybill golden capture`: keeps samples of what waits. */
export function captureCommand(): Command {
  return withEntities(brokerCommand("capture"))
    .summary("keep samples of what waits")
    .description(
      "Looks at what waits and keeps samples of each message type, version and format, one file each. Letters become a or A, digits 1, bytes 1 and dates one " +
        "date; names of fields, booleans, null and the number 0 stay. Files that are there stay as they are.",
    )
    .argument("<directory>", "where to write; made when it is not there")
    .option(
      "--samples <number>",
      "how many samples of different shape of each type, version and format; default: 3",
      parseCount,
    )
    .option(
      "--keep <path>",
      "keep the values there, as a JSON pointer with stars: /status, /items/*/currency; can be repeated",
      (path: string, paths: readonly string[] = []) => [...paths, path],
    )
    .option("--no-redact", "keep the payloads as they are")
    .option("--limit <number>", "how many messages to look at in one place", parseCount)
    .addHelpText(
      "after",
      `
Examples:
  waybill golden capture test/golden
  waybill golden capture test/golden --entity orders --keep /status --keep '/items/*/currency'

Exits with 1 when some messages could not be made golden, and says why.`,
    )
    .action(exiting(capture));
}

async function capture(directory: string, options: CaptureOptions): Promise<ExitCode> {
  await using context = await openBrokerContext(options);
  const { transport, pipeline, catalog, terminal, abortSignal, golden } = context;
  const progress = terminal.progress("messages");
  let captured: GoldenCapture;
  try {
    captured = await captureGoldenMessages({
      transport,
      pipeline,
      catalog: catalog(options.entity ?? []),
      abortSignal,
      redact: options.redact ? golden.redact : false,
      keep: [...(golden.keep ?? []), ...(options.keep ?? [])],
      samplesPerKind: options.samples,
      maxMessagesPerPlace: options.limit,
      onProgress: (peeked) => progress.update(peeked, undefined),
    });
  } finally {
    progress.stop();
  }
  const written = await writeGoldenMessages(directory, captured.messages);
  if (terminal.isJson) {
    const { peeked, messages, skipped } = captured;
    terminal.json({ peeked, captured: messages.map(({ name }) => name), written, skipped });
  } else {
    print(terminal, captured, written);
  }
  return captured.skipped.length === 0 ? exitCodes.ok : exitCodes.found;
}

function print(
  terminal: Terminal,
  { peeked, messages, skipped }: GoldenCapture,
  written: readonly string[],
): void {
  for (const name of written) terminal.line(name);
  terminal.line(
    `${written.length} written, ${messages.length - written.length} known already, ${counted(peeked, "message")} looked at`,
  );
  if (skipped.length === 0) return;
  terminal.line();
  terminal.table(
    ["LEFT OUT", "TYPE", "VERSION", "FORMAT", "COUNT", "WHY"],
    skipped.map(({ why, messageType, messageVersion, serializer, count, detail }) => [
      why,
      messageType,
      messageVersion,
      serializer,
      count,
      detail,
    ]),
  );
}
