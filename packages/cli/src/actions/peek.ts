import type { DeserializationOutcome, EncodedMessage } from "@waybill/core";
import type { DeliveredMessage } from "@waybill/core/transport";
import { peekPages } from "@waybill/migration/tools";
import { type ExitCode, exitCodes } from "../errors/exit-codes.js";
import { parseEntity } from "../input/parse-entity.js";
import { messageTable } from "../output/message-table.js";
import { messageView } from "../output/message-view.js";
import { type CommonOptions, openBrokerContext } from "./action-context.js";

/** What to peek. */
export interface PeekOptions extends CommonOptions {
  readonly max: number;
  readonly from?: bigint;
  readonly body?: boolean;
}

export async function peek(path: string, options: PeekOptions): Promise<ExitCode> {
  const address = parseEntity(path);
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
