import { type DeliveredMessage, entityPathOf } from "@waybill/core/transport";
import { peekPages } from "@waybill/migration/tools";
import type { ExplorerContext } from "../options/explorer-options.js";
import { idText, messageRow } from "../reads/message-row.js";
import { readMessage, withReceiver } from "../reads/peek.js";
import { placesToSearch } from "./places.js";

type ConversationMessage = Awaited<ReturnType<typeof conversationMessage>>;

/** Messages that belong together, oldest first. */
export type Conversation = Awaited<ReturnType<typeof findConversation>>;

const maxMessages = 200;
const maxPerPlace = 50_000;

/**
 * Finds the messages with a message id, correlation id, reply session or trace, and those that share one of these with them in turn. Peeks all
 * waiting messages; completed messages are gone. The conversation is complete if every entity was peeked to its end.
 */
export async function findConversation(context: ExplorerContext, id: string, abortSignal?: AbortSignal) {
  const known = new Set([id, traceOf(id) ?? id]);
  const found = new Map<string, ConversationMessage>();
  let scanned = 0;
  let isComplete = true;
  // A reply may be peeked before its request: repeats until no further message is found.
  for (let before = -1; before < found.size && found.size < maxMessages; ) {
    before = found.size;
    scanned = 0;
    for (const address of await placesToSearch(context, abortSignal)) {
      const path = entityPathOf(address);
      let peeked = 0;
      await withReceiver(context, address, async (receiver) => {
        for await (const page of peekPages(receiver, { abortSignal, maxMessages: maxPerPlace })) {
          peeked += page.length;
          for (const message of page) {
            const ties = tiesOf(message).filter((tie) => known.has(tie));
            const key = `${path} ${message.sequenceNumber}`;
            if (ties.length === 0 || found.has(key) || found.size >= maxMessages) continue;
            for (const tie of tiesOf(message)) known.add(tie);
            found.set(key, await conversationMessage(context, path, message, ties));
          }
        }
      });
      scanned += peeked;
      if (peeked >= maxPerPlace) isComplete = false;
    }
  }
  const messages = [...found.values()].sort(byTime);
  return { messages, scanned, isComplete: isComplete && messages.length < maxMessages };
}

/** By enqueued time, then by sequence number. */
function byTime({ row: one }: ConversationMessage, { row: two }: ConversationMessage): number {
  const order = (one.enqueuedAt ?? "").localeCompare(two.enqueuedAt ?? "");
  return order === 0 ? Number(BigInt(one.sequenceNumber) - BigInt(two.sequenceNumber)) : order;
}

/** A message of a conversation; `ties` is what it shares with others: an id, a reply address with its session, or a trace. */
async function conversationMessage(
  context: ExplorerContext,
  path: string,
  message: DeliveredMessage,
  ties: readonly string[],
) {
  const { replyTo } = message;
  const row = messageRow(message, await readMessage(context, message));
  return { path, row, replyTo, traceparent: traceparentOf(message), ties: [...new Set(ties)] };
}

function tiesOf(message: DeliveredMessage): string[] {
  const { messageId, correlationId, replyToSessionId, sessionId } = message;
  const trace = traceOf(traceparentOf(message) ?? "");
  // A session id alone may be that of a whole customer, for example; together with a reply address it identifies one conversation.
  const sessions = replyToSessionId === undefined ? [] : [replyToSessionId];
  const isReply = correlationId !== undefined && sessionId !== undefined;
  return [
    idText(messageId),
    idText(correlationId),
    ...sessions,
    isReply ? sessionId : undefined,
    trace,
  ].flatMap((tie) => (tie === undefined || tie === "" ? [] : [tie]));
}

/** The properties in which OpenTelemetry and the Azure SDKs put the trace. */
function traceparentOf({ applicationProperties }: DeliveredMessage): string | undefined {
  const value = applicationProperties.traceparent ?? applicationProperties["Diagnostic-Id"];
  return typeof value === "string" ? value : undefined;
}

/** The id of the trace within a `traceparent`. Source: W3C Trace Context. */
function traceOf(traceparent: string): string | undefined {
  return /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}/.exec(traceparent)?.[1];
}
