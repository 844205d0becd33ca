import { writeFile } from "node:fs/promises";
import { type ExitCode, exitCodes } from "../errors/exit-codes.js";
import { UsageError } from "../errors/usage-error.js";
import { readInput } from "../input/read-input.js";
import { counted } from "../output/counted.js";
import { type CommonOptions, type LabelOptions, openChain } from "./action-context.js";

/** What to write instead. */
export interface TranscodeOptions extends CommonOptions, LabelOptions {
  readonly as?: string;
  readonly toVersion?: number;
  readonly out?: string;
}

export async function transcode(file: string | undefined, options: TranscodeOptions): Promise<ExitCode> {
  const { contentType, subject, property: applicationProperties, out } = options;
  if (out === undefined && process.stdout.isTTY) {
    throw new UsageError("The standard output is a terminal: name a file with --out, or pipe it somewhere.");
  }
  // Before the chain is opened, which handles Ctrl-C itself: a command that waits for input ends at once.
  const body = await readInput(file);
  const { pipeline, terminal, abortSignal } = await openChain(options);
  const outcome = await pipeline.deserialize(
    { body, contentType, subject, applicationProperties },
    { abortSignal },
  );
  if (outcome.status !== "decoded") {
    terminal.note(outcome.status === "unavailable" ? outcome.error.message : outcome.description);
    return exitCodes.found;
  }
  const { "Content-Encoding": _, "content-encoding": __, ...properties } = applicationProperties ?? {};
  const written = await pipeline.serialize(
    { subject, applicationProperties: properties, body: outcome.body },
    {
      abortSignal,
      readBack: true,
      writeAs: { serializer: options.as ?? pipeline.serializers[0]?.name, version: options.toVersion },
    },
  );
  const bytes = written.body as Uint8Array;
  if (out === undefined) process.stdout.write(bytes);
  else await writeFile(out, bytes);
  terminal.note(
    `read by ${outcome.report.serializer}, written as ${written.contentType}, ${counted(bytes.length, "byte")}`,
  );
  for (const [name, value] of Object.entries(written.applicationProperties ?? {})) {
    terminal.note(`  ${name}: ${String(value)}`);
  }
  return exitCodes.ok;
}
