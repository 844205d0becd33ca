import { requireInteger } from "@waybill/foundation";
import type { SettleableMessage } from "../../contracts/settlement.js";
import { hasCode } from "../../errors/error.js";
import type { ReceivedMessage, UndecodedMessage } from "../../message/message.js";
import { Delivery } from "../delivery/delivery.js";
import type { LoadedReceiver } from "./loaded-receiver.js";
import type { ReceiveMessagesOptions } from "./receiver-options.js";

/** Options of a message iterator. */
export interface MessageIteratorOptions extends ReceiveMessagesOptions {
  /** How many messages are prefetched, with renewed locks, while the loop body runs. Default: 0. */
  readonly prefetchCount?: number;
  /** Completes a message when the loop requests the next one, unless it was settled. Default: false. */
  readonly autoCompleteMessages?: boolean;
}

/** See `Receiver.getMessageIterator`. */
export async function* iterateMessages(
  receiver: LoadedReceiver,
  { prefetchCount = 0, autoCompleteMessages = false, ...receiveOptions }: MessageIteratorOptions,
): AsyncGenerator<ReceivedMessage | UndecodedMessage, void, undefined> {
  requireInteger("prefetchCount", prefetchCount, 0);
  let ahead: (ReceivedMessage | UndecodedMessage)[] = [];
  try {
    while (!receiver.isClosed) {
      try {
        ahead = await receiver.receiveMessages(1 + prefetchCount, receiveOptions);
      } catch (error) {
        if (receiver.isClosed && hasCode(error, "closed")) return;
        // The messages stay locked, and the next call reads them again.
        if (!hasCode(error, "unavailable")) throw error;
      }
      for (let message = ahead[0]; message !== undefined && !receiver.isClosed; message = ahead[0]) {
        yield message;
        if (autoCompleteMessages && isOpen(message)) await receiver.completeMessage(message);
        ahead.shift();
      }
    }
  } finally {
    const left = autoCompleteMessages ? ahead : ahead.slice(1);
    // An error of the loop body must not be replaced by one of these.
    await Promise.allSettled(left.filter(isOpen).map((message) => receiver.abandonMessage(message)));
  }
}

function isOpen({ settlement }: SettleableMessage): boolean {
  return settlement instanceof Delivery && settlement.state === "open";
}
