import { parseMediaType } from "@waybill/core/serializer";
import type { RepairCandidate } from "@waybill/migration";
import type { Command } from "commander";
import { parseSequenceNumber } from "../../input/parse-number.js";

/** Which dead letters to take. */
export interface SelectionOptions {
  readonly reason?: readonly string[];
  readonly messageType?: readonly string[];
  readonly format?: readonly string[];
  readonly number?: readonly bigint[];
}

/** Lets a command choose among dead letters: all that are given must hold, of each any one. */
export function withSelection(command: Command): Command {
  return command
    .option("--reason <name>", "only with this dead-letter reason; can be repeated", collect)
    .option("--message-type <name>", "only of this message type or subject; can be repeated", collect)
    .option(
      "--format <name>",
      "only what this serializer reads now, or of this content type; can be repeated",
      collect,
    )
    .option(
      "--number <sequence-number>",
      "only this message; can be repeated",
      (text: string, numbers: readonly bigint[] = []) => [...numbers, parseSequenceNumber(text)],
    );
}

/** Whether a dead letter is one of those. */
export function selection({ reason, messageType, format, number }: SelectionOptions) {
  return ({ message, outcome: { report } }: RepairCandidate): boolean =>
    isOneOf(reason, [message.deadLetterReason]) &&
    isOneOf(messageType, [report.messageType, message.subject]) &&
    isOneOf(format, [
      report.serializer,
      message.contentType && parseMediaType(message.contentType)?.essence,
    ]) &&
    (number === undefined || number.includes(message.sequenceNumber));
}

function isOneOf(wanted: readonly string[] | undefined, names: readonly (string | undefined)[]): boolean {
  return wanted === undefined || names.some((name) => name !== undefined && wanted.includes(name));
}

function collect(text: string, texts: readonly string[] = []): readonly string[] {
  return [...texts, text];
}
