import {
  inOrder,
  type MessageView,
  type NaiveEntity,
  type NaiveMessage,
  type NaiveStore,
  storesOf,
} from "./naive-entity.js";
import { type NaiveState, sizeOfEntity } from "./naive-state.js";

/** The observable properties of a message. */
export function viewOf(message: NaiveMessage): MessageView {
  const { content, lock } = message;
  return {
    sequence: message.sequence,
    enqueuedSequence: message.enqueuedSequence,
    enqueuedAtMs: message.enqueuedAtMs,
    expiresAtMs: message.expiresAtMs,
    lockedUntilMs: lock === undefined ? undefined : (lock.session ?? message).timer?.dueMs,
    state: message.state,
    deliveryCount: message.deliveryCount,
    deadLetterSource: message.deadLetterSource,
    messageId: content.messageId,
    sessionId: content.sessionId,
    subject: content.subject,
    body: content.body,
    properties: { ...message.properties },
  };
}

/** A message as it is delivered: with the state scheduled if it was scheduled. */
export function receivedViewOf(message: NaiveMessage): MessageView {
  const isActivated = message.wasScheduled && message.state === "active";
  return { ...viewOf(message), ...(isActivated && { state: "scheduled" }) };
}

/** Everything in the broker, except stores without messages and sessions. */
export function describeAll(state: NaiveState) {
  const stores = state.entities.flatMap(storesOf);
  return {
    stores: inOrderOfPath(
      stores.map(describeStore).filter(({ messages, sessions }) => messages.length + sessions.length > 0),
    ),
    entities: inOrderOfPath(
      state.entities.map((entity) => ({
        ...describeEntity(entity),
        sizeInBytes: sizeOfEntity(state, entity),
      })),
    ),
  };
}

/** The observable content of a store. A session exists while it has messages, state or a lock. */
function describeStore({ entity, kind, messages, sessions }: NaiveStore) {
  const suffix = {
    main: "",
    "dead-letter": "/$DeadLetterQueue",
    "transfer-dead-letter": "/$Transfer/$DeadLetterQueue",
  };
  const ids = new Set(
    sessions.filter(({ lock, state }) => lock !== undefined || state !== null).map(({ id }) => id),
  );
  if (kind === "main" && entity.options.requiresSession) {
    for (const { content } of messages) if (content.sessionId !== undefined) ids.add(content.sessionId);
  }
  return {
    path: entity.path + suffix[kind],
    messages: inOrder(messages).map(viewOf),
    sessions: [...ids].sort().map((sessionId) => {
      const session = sessions.find(({ id }) => id === sessionId);
      return {
        sessionId,
        messageCount: messages.filter(({ content }) => content.sessionId === sessionId).length,
        hasState: session !== undefined && session.state !== null,
        isLocked: session?.lock !== undefined,
        lockedUntilMs: session?.lock?.timer.dueMs,
      };
    }),
  };
}

/** An entity's message counts. */
function describeEntity({ kind, path, main, deadLetter, transferDeadLetter, accessedAtMs }: NaiveEntity) {
  const count = (state: string) => main.messages.filter((message) => message.state === state).length;
  return {
    path,
    active: count("active"),
    deferred: count("deferred"),
    scheduled: count("scheduled"),
    deadLetter: deadLetter.messages.length,
    transferDeadLetter: transferDeadLetter.messages.length,
    // Reading the durable storage accesses the topic.
    accessedAtMs: kind === "topic" ? undefined : accessedAtMs,
  };
}

/** Sorts by path, because the order in which entities are listed is not part of the model. */
export function inOrderOfPath<Described extends { readonly path: string }>(
  described: readonly Described[],
): Described[] {
  return [...described].sort((a, b) => (a.path < b.path ? -1 : 1));
}
