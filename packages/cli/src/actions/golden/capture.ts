import { captureGoldenMessages, type GoldenCapture, writeGoldenMessages } from "@waybill/migration/golden";
import { type ExitCode, exitCodes } from "../../errors/exit-codes.js";
import { counted } from "../../output/counted.js";
import type { Terminal } from "../../output/terminal.js";
import { type CommonOptions, type EntityOptions, openBrokerContext } from "../action-context.js";

export interface CaptureOptions extends CommonOptions, EntityOptions {
  readonly samples?: number;
  readonly keep?: readonly string[];
  readonly redact: boolean;
  readonly limit?: number;
}

export async function capture(directory: string, options: CaptureOptions): Promise<ExitCode> {
  await using context = await openBrokerContext(options);
  const { transport, pipeline, catalog, entities, terminal, abortSignal, golden } = context;
  const captured = await terminal.withProgress("messages", (show) =>
    captureGoldenMessages({
      transport,
      pipeline,
      catalog: catalog(entities),
      abortSignal,
      redact: options.redact ? golden.redact : false,
      keep: [...(golden.keep ?? []), ...(options.keep ?? [])],
      samplesPerKind: options.samples,
      maxMessagesPerPlace: options.limit,
      onProgress: (peeked) => show(peeked),
    }),
  );
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
    `${written.length} written, ${messages.length - written.length} known already, ${counted(peeked, "message")} peeked`,
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
