import { deadLetterRecordProperty, parseDeadLetterRecord } from "@waybill/core";
import { colors } from "./colors.js";
import type { DeadLetter } from "./dead-letters.js";
import type { TransportName } from "./options.js";
import type { JobResult } from "./run-job.js";
import { isRefusedBySchema } from "./schema-check.js";
import { drawTable } from "./table.js";
import { webhookVersions } from "./webhook-versions.js";
import { webhooks } from "./webhooks.js";

const number = new Intl.NumberFormat("en-US");

const transportTexts = {
  local: "in process",
  azure: "@azure/service-bus over AMQP, to a server of the local broker",
} as const satisfies Record<TransportName, string>;

/** The text before the job: the producers and the consumer's chain. */
export function introduction(messageCount: number, transport: TransportName, isElsewhere: boolean): string {
  const refused = webhooks.filter(isRefusedBySchema).length;
  return [
    colors.bold("The main job: three eras of producers, one queue, one consumer, nothing lost"),
    "",
    `  payloads   ${webhooks.length} real GitHub webhooks (@octokit/webhooks-examples)`,
    `  messages   ${number.format(messageCount)}`,
    `  transport  ${isElsewhere ? "@azure/service-bus, to the broker of the connection string" : transportTexts[transport]}`,
    `  Avro v2    single-object encoding, ${webhookVersions.length} schemas derived from the payloads`,
    "  chain      avro → json → msgpack",
    `  schema     GitHub's JSON Schema, for all three; it refuses ${refused} of the payloads: they are older than it is`,
    "",
  ].join("\n");
}

/** The report after the job: the table, two dead letters, and the result. */
export function conclusion(result: JobResult): string {
  return [
    drawTable(result.tallies),
    "",
    colors.bold("Two messages of the dead-letter queue"),
    ...result.deadLetters.map(describeDeadLetter),
    verdict(result),
  ].join("\n");
}

function describeDeadLetter(letter: DeadLetter): string {
  const { messageId, subject, contentType, deadLetterReason, deadLetterErrorDescription = "" } = letter;
  const record = parseDeadLetterRecord(letter);
  return [
    "",
    `  messageId                   ${colors.cyan(String(messageId))}`,
    `  subject                     ${subject}`,
    `  contentType                 ${contentType ?? "none"}`,
    `  deadLetterReason            ${colors.yellow(String(deadLetterReason))}`,
    `  deadLetterErrorDescription  ${deadLetterErrorDescription.replaceAll("\n", `\n${" ".repeat(30)}`)}`,
    `  ${deadLetterRecordProperty}  attempts ${record?.attemptCount}, bytes ${record?.bodyBytes}, sha256 ${record?.bodySha256}`,
    "",
  ].join("\n");
}

function verdict({ decodedCount, deadLetteredCount, findings, findingCount, durationMs }: JobResult): string {
  const seconds = (durationMs / 1000).toFixed(1);
  if (findingCount === 0) {
    return colors.green(
      `As planned, in ${seconds} s: ${number.format(decodedCount)} values decoded and deeply equal to their sources, ` +
        `${number.format(deadLetteredCount)} dead-lettered byte for byte, none lost.`,
    );
  }
  const more = findingCount - findings.length;
  return [
    colors.red(`${number.format(findingCount)} differences from the plan:`),
    ...findings.map((finding) => `  ${finding}`),
    ...(more > 0 ? [`  … and ${number.format(more)} more`] : []),
  ].join("\n");
}
