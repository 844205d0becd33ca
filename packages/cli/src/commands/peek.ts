import type { DeserializationOutcome, EncodedMessage } from "@waybill/core";
import type { DeliveredMessage, EntityAddress } from "@waybill/core/transport";
import { peekPages } from "@waybill/migration/tools";
import type { Command } from "commander";
import { type ExitCode, exitCodes } from "../errors/exit-codes.js";
import { parseEntity } from "../input/parse-entity.js";
import { parseCount, parseSequenceNumber } from "../input/parse-number.js";
import { messageTable } from "../output/message-table.js";
import { messageView } from "../output/message-view.js";
import { type CommonOptions, openBrokerContext } from "./command-context.js";
import { brokerCommand, exiting } from "./common-options.js";

/** What to peek. */
interface PeekOptions extends CommonOptions {
  readonly max: number;
  readonly from?: bigint;
  readonly body?: boolean;
}

/** `waybill peek`: looks at messages without locking them. */
export function peekCommand(): Command {
  return brokerCommand("peek")
    .summary("look at messages without locking them")
    .description(
      "Looks at the messages of a queue, a subscription or a dead-letter queue, active, deferred and scheduled alike. Changes nothing.",
    )
    .argument("<entity>", "orders, events/Subscriptions/billing, 'orders/$DeadLetterQueue'", parseEntity)
    .option("-n, --max <number>", "how many messages", parseCount, 10)
    .option("--from <sequence-number>", "where to begin; default: the oldest", parseSequenceNumber)
    .option("--body", "show the bodies too")
    .addHelpText(
      "after",
      `
Examples:
  waybill peek orders
  waybill peek 'orders/$DeadLetterQueue' --max 100 --body
  waybill peek events/Subscriptions/billing --json | jq -r .messageId

On a pipe each message is one line of JSON. Exits with 1 when one of them cannot be deserialized.`,
    )
    .action(exiting(peek));
}

async function peek(address: EntityAddress, options: PeekOptions): Promise<ExitCode> {
  await using context = await openBrokerContext(options);
  const { transport, pipeline, terminal, abortSignal } = context;
  const receiver = transport.createReceiver(address, "peekLock");
  const read: (readonly [DeliveredMessage, DeserializationOutcome])[] = [];
  let unread = 0;
  try {
    const pages = peekPages(receiver, {
      maxMessages: options.max,
      fromSequenceNumber: options.from,
      abortSignal,
    });
    for await (const page of pages) {
      for (const message of page) {
        const outcome = await pipeline.deserialize(message as EncodedMessage, { abortSignal });
        if (outcome.status !== "decoded") unread++;
        if (terminal.isJson) terminal.jsonLine(messageView(message, outcome, options.body === true));
        else read.push([message, outcome]);
      }
    }
  } finally {
    await receiver.close();
  }
  if (!terminal.isJson) messageTable(terminal, read, options.body === true);
  return unread === 0 ? exitCodes.ok : exitCodes.found;
}
