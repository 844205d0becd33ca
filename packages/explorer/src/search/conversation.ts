import type { DeserializationOutcome } from "@waybill/core";
import { type DeliveredMessage, entityPathOf } from "@waybill/core/transport";
import type { ExplorerContext } from "../options/explorer-options.js";
import { idText, messageRow } from "../reads/message-row.js";
import { clueOfAny } from "./clues.js";
import { placesToSearch, sumOfExpected } from "./places.js";
import { progressPace } from "./progress-pace.js";
import type { SeenMessages } from "./seen-messages.js";
import { noTimeLimit } from "./time-limit.js";

type ConversationMessage = ReturnType<typeof conversationMessage>;

/** Messages that belong together, oldest first. */
export interface Conversation {
  readonly messages: readonly ConversationMessage[];
  /** How many messages were gone through. */
  readonly scanned: number;
  /** Whether these are all. */
  readonly isComplete: boolean;
}

/** An event of the search for a conversation: a message of it, its progress, or its end. */
export type ConversationEvent =
  | { readonly kind: "found"; readonly message: ConversationMessage }
  | { readonly kind: "progress"; readonly scanned: number; readonly expected: number | undefined }
  | ({ readonly kind: "done" } & Conversation);

const maxMessages = 200;

/**
 * Finds the messages with a message id, correlation id, reply session or trace, and those that share one of these with them in turn. Goes through
 * all waiting messages; completed messages are gone.
 */
export async function findConversation(
  context: ExplorerContext,
  seen: SeenMessages,
  id: string,
  onEvent: (event: ConversationEvent) => void,
  abortSignal?: AbortSignal,
): Promise<void> {
  const places = await placesToSearch(context, abortSignal);
  const expected = sumOfExpected(places);
  const known = new Set([id, traceOf(id) ?? id]);
  const found = new Map<string, ConversationMessage>();
  const pace = progressPace();
  let scanned = 0;
  // A reply may be read before its request: repeats until no further message is found.
  for (let before = -1; before < found.size && found.size < maxMessages; ) {
    before = found.size;
    scanned = 0;
    const mayBeMeant = clueOfAny(known);
    for (const { address } of places) {
      const path = entityPathOf(address);
      for await (const { read, passed } of seen.pass(address, {
        mayBeMeant,
        limit: noTimeLimit,
        abortSignal,
      })) {
        scanned += passed;
        for (const [message, outcome] of read) {
          const ties = tiesOf(message).filter((tie) => known.has(tie));
          const key = `${path} ${message.sequenceNumber}`;
          if (ties.length === 0 || found.has(key) || found.size >= maxMessages) continue;
          for (const tie of tiesOf(message)) known.add(tie);
          const one = conversationMessage(path, message, outcome, ties);
          found.set(key, one);
          onEvent({ kind: "found", message: one });
        }
        if (pace.isDue()) onEvent({ kind: "progress", scanned, expected });
      }
    }
  }
  const messages = [...found.values()].sort(byTime);
  onEvent({ kind: "done", messages, scanned, isComplete: messages.length < maxMessages });
}

/** By enqueued time, then by sequence number. */
function byTime({ row: one }: ConversationMessage, { row: two }: ConversationMessage): number {
  const order = (one.enqueuedAt ?? "").localeCompare(two.enqueuedAt ?? "");
  return order === 0 ? Number(BigInt(one.sequenceNumber) - BigInt(two.sequenceNumber)) : order;
}

/** A message of a conversation; `ties` is what it shares with others: an id, a reply address with its session, or a trace. */
function conversationMessage(
  path: string,
  message: DeliveredMessage,
  outcome: DeserializationOutcome,
  ties: readonly string[],
) {
  const { replyTo } = message;
  const row = messageRow(message, outcome);
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
