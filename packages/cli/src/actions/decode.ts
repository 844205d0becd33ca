import type { DeserializationOutcome } from "@waybill/core";
import { type Origin, originOf, originText } from "@waybill/core/diagnostics";
import { toPortableValue } from "@waybill/migration/tools";
import { type ExitCode, exitCodes } from "../errors/exit-codes.js";
import { readInput } from "../input/read-input.js";
import { attemptsTable } from "../output/attempts-table.js";
import { outcomeView } from "../output/message-view.js";
import type { Terminal } from "../output/terminal.js";
import { toJson } from "../output/to-json.js";
import { type CommonOptions, type LabelOptions, openChain } from "./action-context.js";

export async function decode(
  file: string | undefined,
  options: CommonOptions & LabelOptions,
): Promise<ExitCode> {
  // Before the chain is opened, which handles Ctrl-C itself: a command that waits for input ends at once.
  const body = await readInput(file);
  const { pipeline, terminal, abortSignal } = await openChain(options);
  const { contentType, subject, property: applicationProperties } = options;
  const outcome = await pipeline.deserialize(
    { body, contentType, subject, applicationProperties },
    { abortSignal },
  );
  const origin = originOf({ body, contentType, applicationProperties });
  if (terminal.isJson) {
    const value = outcome.status === "decoded" ? { value: toPortableValue(outcome.body) } : {};
    terminal.json({ ...outcomeView(outcome), ...(origin === undefined ? {} : { origin }), ...value });
  } else {
    print(terminal, outcome, origin);
  }
  return outcome.status === "decoded" ? exitCodes.ok : exitCodes.found;
}

function print(terminal: Terminal, outcome: DeserializationOutcome, origin: Origin | undefined): void {
  const { report } = outcome;
  const { bold, red, green } = terminal.colors;
  terminal.line(
    outcome.status === "decoded"
      ? `${green("decoded")} by ${bold(report.serializer ?? (report.isEmpty ? "nobody: it has no bytes" : "nobody: it is an AMQP value"))} (position ${report.position}), ${report.bytes} bytes`
      : `${red(outcome.status)}: ${outcome.status === "undeserializable" ? outcome.reason : outcome.error.code}, ${report.bytes} bytes`,
  );
  if (report.messageType !== undefined) {
    const path = report.upcastPath.length === 0 ? "" : `, upcast ${report.upcastPath.join(" → ")}`;
    terminal.line(`${report.messageType} version ${report.messageVersion}${path}`);
  }
  if (origin !== undefined) terminal.line(`looks like: ${origin.name}`);
  attemptsTable(terminal, report.attempts);
  if (outcome.status === "undeserializable" && origin !== undefined) terminal.line(`\n${originText(origin)}`);
  if (outcome.status === "decoded") terminal.line(`\n${toJson(toPortableValue(outcome.body), 2)}`);
}
