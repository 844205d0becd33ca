import {
  type DeadLetterRecord,
  type DeserializationOutcome,
  type EncodedMessage,
  parseDeadLetterRecord,
} from "@waybill/core";
import type { DeliveredMessage } from "@waybill/core/transport";
import { selectDeadLetters } from "@waybill/migration";
import { peekPages } from "@waybill/migration/tools";
import type { Command } from "commander";
import { type ExitCode, exitCodes } from "../../errors/exit-codes.js";
import { parseCount } from "../../input/parse-number.js";
import { attemptsTable } from "../../output/attempts-table.js";
import { messageView } from "../../output/message-view.js";
import { printable } from "../../output/printable.js";
import type { Terminal } from "../../output/terminal.js";
import { toJson } from "../../output/to-json.js";
import { type CommonOptions, openBrokerContext } from "../command-context.js";
import { brokerCommand, exiting } from "../common-options.js";
import { type DeadLetterAddress, parseDeadLetterQueue } from "./dead-letter-source.js";
import { type SelectionOptions, withSelection } from "./selection.js";

interface ShowOptions extends CommonOptions, SelectionOptions {
  readonly max: number;
  readonly body?: boolean;
}

/** `waybill dead-letters show`: single messages, why they are there and what today's chain makes of them. */
export function showCommand(): Command {
  return withSelection(brokerCommand("show"))
    .summary("single messages: why they are there, and what today's chain makes of them")
    .description(
      "Shows dead-lettered messages one by one: the reason, waybill's record of what was tried then, and what today's chain makes of them.",
    )
    .argument("<entity>", "orders, events/Subscriptions/billing", parseDeadLetterQueue)
    .option("-n, --max <number>", "how many messages", parseCount, 10)
    .option("--body", "show the bodies too")
    .addHelpText(
      "after",
      `
Examples:
  waybill dead-letters show orders --reason DeserializationFailed
  waybill dead-letters show orders --number 4711 --body

On a pipe each message is one line of JSON. Exits with 1 when one of them cannot be deserialized.`,
    )
    .action(exiting(show));
}

async function show(address: DeadLetterAddress, options: ShowOptions): Promise<ExitCode> {
  await using context = await openBrokerContext(options);
  const { transport, pipeline, terminal, abortSignal } = context;
  const isSelected = selectDeadLetters(options);
  const receiver = transport.createReceiver(address, "peekLock");
  let shown = 0;
  let unread = 0;
  try {
    for await (const page of peekPages(receiver, { abortSignal })) {
      for (const message of page) {
        const outcome = await pipeline.deserialize(message as EncodedMessage, { abortSignal });
        if (!isSelected({ message, outcome })) continue;
        if (outcome.status !== "decoded") unread++;
        print(terminal, message, outcome, options.body === true);
        if (++shown === options.max) return unread === 0 ? exitCodes.ok : exitCodes.found;
      }
    }
  } finally {
    await receiver.close();
  }
  if (shown === 0 && !terminal.isJson) terminal.line("no dead letters");
  return unread === 0 ? exitCodes.ok : exitCodes.found;
}

function print(
  terminal: Terminal,
  message: DeliveredMessage,
  outcome: DeserializationOutcome,
  withBody: boolean,
): void {
  const record = parseDeadLetterRecord(message);
  const view = messageView(message, outcome, withBody);
  if (terminal.isJson) {
    terminal.jsonLine({ ...view, deadLetterRecord: record });
    return;
  }
  const { bold, green, red } = terminal.colors;
  const { report } = outcome;
  const now = outcome.status === "decoded" ? green(`read by ${report.serializer}`) : red("read by nobody");
  terminal.line(
    `${bold(String(message.sequenceNumber))}  ${printable(String(message.messageId ?? "(no message id)"))}`,
  );
  terminal.table(
    ["PROPERTY", "VALUE"],
    [
      ["reason", message.deadLetterReason],
      ["subject", message.subject],
      ["content type", message.contentType],
      ["enqueued", message.enqueuedTimeUtc],
      ["deliveries", String(message.deliveryCount)],
      ["size", `${report.bytes} bytes`],
    ],
  );
  if (record !== undefined) printRecord(terminal, record);
  terminal.line(`now: ${now}`);
  attemptsTable(terminal, report.attempts);
  if (withBody) {
    const { body, rawBody } = view as { body?: unknown; rawBody?: unknown };
    terminal.line(`\n${toJson(body ?? { rawBody }, 2)}`);
  }
  terminal.line();
}

function printRecord(
  terminal: Terminal,
  { deadLetteredAt, consumerVersion, attempts }: DeadLetterRecord,
): void {
  const by = consumerVersion === undefined ? "" : ` by ${printable(consumerVersion)}`;
  terminal.line(`\nthen, ${deadLetteredAt.toISOString()}${by}:`);
  attemptsTable(terminal, attempts);
  terminal.line();
}
