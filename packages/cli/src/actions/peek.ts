import { type ExitCode, exitCodes } from "../errors/exit-codes.js";
import { type FilterOptions, messageFilter } from "../input/message-filter.js";
import { parseEntity } from "../input/parse-entity.js";
import { messageTable } from "../output/message-table.js";
import { messageView } from "../output/message-view.js";
import { type CommonOptions, openBrokerContext } from "./action-context.js";
import { type ReadMessage, readMessages } from "./read-messages.js";

/** What to peek. */
export interface PeekOptions extends CommonOptions, FilterOptions {
  readonly max: number;
  readonly from?: bigint;
  readonly body?: boolean;
}

export async function peek(path: string, options: PeekOptions): Promise<ExitCode> {
  const address = parseEntity(path);
  const filter = await messageFilter(options);
  await using context = await openBrokerContext(options);
  const { transport, terminal } = context;
  const { from, max, body: withBody = false } = options;
  const receiver = transport.createReceiver(address, "peekLock");
  const read: ReadMessage[] = [];
  let unread = 0;
  try {
    for await (const [message, outcome] of readMessages(context, receiver, { from, max, filter })) {
      if (outcome.status !== "decoded") unread++;
      if (terminal.isJson) terminal.jsonLine(messageView(message, outcome, withBody));
      else read.push([message, outcome]);
    }
  } finally {
    await receiver.close();
  }
  if (!terminal.isJson) messageTable(terminal, read, withBody);
  return unread === 0 ? exitCodes.ok : exitCodes.found;
}
