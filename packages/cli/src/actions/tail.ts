import type { TransportReceiver } from "@waybill/core/transport";
import { pause, steadyNowOf, systemScheduler } from "@waybill/foundation";
import { lastSequenceNumber } from "@waybill/migration/tools";
import { type ExitCode, exitCodes } from "../errors/exit-codes.js";
import { type FilterOptions, messageFilter } from "../input/message-filter.js";
import { parseEntity } from "../input/parse-entity.js";
import { messageLine } from "../output/message-line.js";
import { messageView } from "../output/message-view.js";
import {
  type BrokerContext,
  type CommonOptions,
  isInterruption,
  openBrokerContext,
} from "./action-context.js";
import { readMessages } from "./read-messages.js";

/** What to follow, and until when. */
export interface TailOptions extends CommonOptions, FilterOptions {
  readonly max?: number;
  readonly for?: number;
  readonly all?: boolean;
  readonly body?: boolean;
}

/** Between two looks. */
const lookIntervalMs = 500;

export async function tail(path: string, options: TailOptions): Promise<ExitCode> {
  const address = parseEntity(path);
  const filter = await messageFilter(options);
  await using context = await openBrokerContext(options);
  const receiver = context.transport.createReceiver(address, "peekLock");
  try {
    const from = options.all === true ? undefined : await end(receiver, context);
    context.terminal.note(
      `Following ${receiver.entityPath}${options.for === undefined ? "; Ctrl-C ends it" : ""}.`,
    );
    return await follow(receiver, context, { ...options, from, filter });
  } catch (error) {
    // The way to end it.
    if (isInterruption(error, context)) return exitCodes.ok;
    throw error;
  } finally {
    await receiver.close();
  }
}

/** The sequence number after that of the newest message. */
async function end(receiver: TransportReceiver, { abortSignal }: BrokerContext): Promise<bigint | undefined> {
  const [first] = await receiver.peek({ maxMessages: 1, abortSignal });
  if (first === undefined) return undefined;
  return (await lastSequenceNumber(receiver, { known: first.sequenceNumber, abortSignal })) + 1n;
}

type Follow = Omit<TailOptions, keyof FilterOptions> & {
  readonly from: bigint | undefined;
  readonly filter: Awaited<ReturnType<typeof messageFilter>>;
};

async function follow(
  receiver: TransportReceiver,
  context: BrokerContext,
  {
    from,
    filter,
    max = Number.POSITIVE_INFINITY,
    for: forMs = Number.POSITIVE_INFINITY,
    body = false,
  }: Follow,
): Promise<ExitCode> {
  const { terminal, abortSignal } = context;
  const endsAt = steadyNowOf(systemScheduler) + forMs;
  let next = from;
  let left = max;
  let unread = 0;
  for (;;) {
    // The filter is applied here, so that what it leaves out is not looked at again.
    for await (const [message, outcome] of readMessages(context, receiver, {
      from: next,
      max: Number.POSITIVE_INFINITY,
    })) {
      next = message.sequenceNumber + 1n;
      if (filter?.(message, outcome) === false) continue;
      if (outcome.status !== "decoded") unread++;
      if (terminal.isJson) terminal.jsonLine(messageView(message, outcome, body));
      else messageLine(terminal, message, outcome, body);
      if (--left === 0) return unread === 0 ? exitCodes.ok : exitCodes.found;
    }
    const remaining = endsAt - steadyNowOf(systemScheduler);
    if (remaining <= 0) return unread === 0 ? exitCodes.ok : exitCodes.found;
    await pause(Math.min(lookIntervalMs, remaining), systemScheduler, abortSignal);
  }
}
