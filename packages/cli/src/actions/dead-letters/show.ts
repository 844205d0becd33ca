import {
  type DeadLetterRecord,
  type DeserializationOutcome,
  type EncodedMessage,
  parseDeadLetterRecord,
} from "@waybill/core";
import type { DeliveredMessage } from "@waybill/core/transport";
import type { DeadLetterCriteria } from "@waybill/migration/repair";
import { peekPages, selectDeadLetters } from "@waybill/migration/tools";
import { type ExitCode, exitCodes } from "../../errors/exit-codes.js";
import { parseDeadLetterQueue } from "../../input/dead-letter-queue.js";
import { attemptsTable } from "../../output/attempts-table.js";
import { messageView } from "../../output/message-view.js";
import { printable } from "../../output/printable.js";
import type { Terminal } from "../../output/terminal.js";
import { toJson } from "../../output/to-json.js";
import { type CommonOptions, openBrokerContext } from "../action-context.js";

export interface ShowOptions extends CommonOptions, DeadLetterCriteria {
  readonly max: number;
  readonly body?: boolean;
}

export async function show(path: string, options: ShowOptions): Promise<ExitCode> {
  const address = parseDeadLetterQueue(path);
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
      // The record has the same in a table.
      ["description", record === undefined ? message.deadLetterErrorDescription : undefined],
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
