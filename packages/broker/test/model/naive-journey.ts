import { ruleSubject } from "../../src/rules/evaluation/rule-subject.js";
import { evaluateRules } from "../../src/rules/rule-copies.js";
import {
  costOf,
  fresh,
  type NaiveContent,
  type NaiveEntity,
  type NaiveMessage,
  type NaiveProperties,
  NaiveRefusal,
  type Transit,
} from "./naive-entity.js";
import {
  arm,
  findEntity,
  hasRoom,
  type NaiveState,
  remove,
  takeNumber,
  takePlace,
  use,
} from "./naive-state.js";
import { serveSessions, wake } from "./naive-waits.js";

// The path of a message: from send via rules and forwarding into a store, back to it, or to the dead-letter queue.

const maxHops = 4;

/** Checks messages that are sent atomically. */
export function checkSends(state: NaiveState, entity: NaiveEntity, contents: readonly NaiveContent[]): void {
  const { status, requiresSession } = entity.options;
  let pendingBytes = 0;
  for (const content of contents) {
    if (status === "Disabled" || status === "SendDisabled") throw new NaiveRefusal("entity-disabled");
    if (entity.kind === "queue" && requiresSession && content.sessionId === undefined) {
      throw new NaiveRefusal("not-allowed");
    }
    pendingBytes += costOf(content);
    if (!hasRoom(state, entity, pendingBytes)) throw new NaiveRefusal("quota-exceeded");
  }
}

/** Refuses a batch whose messages belong to different partitions. */
export function checkBatch({ options }: NaiveEntity, contents: readonly NaiveContent[]): void {
  if (!options.enablePartitioning) return;
  const keys = contents.map(
    ({ sessionId, partitionKey, messageId }) =>
      sessionId ?? partitionKey ?? (options.requiresDuplicateDetection ? messageId : undefined),
  );
  if (new Set(keys).size > 1) throw new NaiveRefusal("not-allowed");
}

/** Transfers a message via a queue, which keeps it if that is impossible. */
export function enterVia(state: NaiveState, via: NaiveEntity, path: string, content: NaiveContent): void {
  const transit = fresh(content);
  const refusal = handOver(state, path, transit);
  if (refusal !== undefined)
    keepUntransferred(state, via, stamp(state, via, transit), transit.lifeMs, refusal);
}

/** Accepts a sent message, unless it is a duplicate. */
export function enter(state: NaiveState, entity: NaiveEntity, content: NaiveContent): void {
  if (isDuplicate(state, entity, content)) return;
  if (content.scheduledAtMs !== undefined && content.scheduledAtMs > state.nowMs)
    keepScheduled(state, entity, content);
  else route(state, entity, fresh(content));
}

/** Whether a message of the same id was accepted within the window; if not, the id is recorded. */
export function isDuplicate(
  state: NaiveState,
  entity: NaiveEntity,
  { messageId, sessionId, partitionKey }: NaiveContent,
): boolean {
  const { requiresDuplicateDetection, duplicateDetectionHistoryTimeWindowMs, enablePartitioning } =
    entity.options;
  if (!requiresDuplicateDetection) return false;
  const key = JSON.stringify(enablePartitioning ? [messageId, sessionId ?? partitionKey] : [messageId]);
  entity.duplicates = entity.duplicates.filter(({ forgottenAtMs }) => forgottenAtMs > state.nowMs);
  if (entity.duplicates.some((seen) => seen.key === key)) return true;
  entity.duplicates.push({ key, forgottenAtMs: state.nowMs + duplicateDetectionHistoryTimeWindowMs });
  return false;
}

/** Keeps a message until its scheduled time, or enqueues it at once if that has passed; returns its sequence number. */
export function keepScheduled(
  state: NaiveState,
  entity: NaiveEntity,
  content: NaiveContent,
  sequence = takeNumber(state, entity, content),
): number {
  if ((content.scheduledAtMs ?? 0) <= state.nowMs) {
    route(state, entity, { ...fresh(content), sequence });
    return sequence;
  }
  const message = stamp(state, entity, { ...fresh(content), sequence });
  const timer = arm(state, content.scheduledAtMs ?? 0);
  entity.main.messages.push({ ...message, state: "scheduled", timer });
  return sequence;
}

/** Enqueues a message in its queue, or in the subscriptions whose rules select it. */
export function route(state: NaiveState, entity: NaiveEntity, transit: Transit): void {
  if (entity.kind !== "topic") {
    arrive(state, entity, transit);
    return;
  }
  const number = transit.sequence ?? takeNumber(state, entity, transit.content);
  const lifeMs = Math.min(transit.lifeMs, entity.options.defaultMessageTimeToLiveMs);
  const enqueuedSequence = transit.enqueuedSequence ?? number;
  const copy = { ...transit, lifeMs, enqueuedSequence, sequence: undefined };
  for (const subscription of state.entities.filter(({ topic }) => topic === entity.path)) {
    applyRules(state, subscription, copy);
  }
}

function applyRules(state: NaiveState, subscription: NaiveEntity, transit: Transit): void {
  const { content } = transit;
  const subject = ruleSubject({
    system: {
      MessageId: content.messageId,
      Label: content.subject ?? null,
      SessionId: content.sessionId ?? null,
    },
    application: Object.fromEntries(
      Object.entries(transit.properties).map(([name, value]) => [
        name,
        typeof value === "number" ? BigInt(value) : value,
      ]),
    ),
  });
  const { copies, failures } = evaluateRules(subscription.rules, subject);
  for (const { application } of copies) {
    const properties: Record<string, string | number> = { ...transit.properties };
    for (const [name, value] of application) {
      if (value === undefined) delete properties[name];
      else properties[name] = typeof value === "bigint" ? Number(value) : String(value);
    }
    arrive(state, subscription, { ...transit, properties });
  }
  const [failure] = failures;
  if (failure !== undefined && subscription.options.deadLetteringOnFilterEvaluationExceptions) {
    const message = stamp(state, subscription, transit);
    deadLetter(state, message, { DeadLetterReason: failure.error.exceptionName });
  }
}

function stamp(state: NaiveState, entity: NaiveEntity, transit: Transit): NaiveMessage {
  const { content } = transit;
  const sequence = transit.sequence ?? takeNumber(state, entity, content);
  const lifeMs = Math.min(transit.lifeMs, entity.options.defaultMessageTimeToLiveMs);
  return {
    store: entity.main,
    content,
    sequence,
    arrival: takePlace(state, entity, sequence),
    enqueuedSequence: transit.enqueuedSequence ?? sequence,
    enqueuedAtMs: state.nowMs,
    expiresAtMs: state.nowMs + lifeMs,
    hops: transit.hops,
    deadLetterSource: transit.deadLetterSource,
    properties: transit.properties,
    state: "active",
    wasScheduled: transit.wasScheduled,
    deliveryCount: 0,
    lock: undefined,
    timer: undefined,
  };
}

function arrive(state: NaiveState, entity: NaiveEntity, transit: Transit): void {
  const message = stamp(state, entity, transit);
  if (entity.options.forwardTo !== undefined) {
    forward(state, message, entity.options.forwardTo);
    return;
  }
  if (entity.options.requiresSession && message.content.sessionId === undefined) {
    deadLetter(state, message, { DeadLetterReason: "Session ID is null" });
    return;
  }
  entity.main.messages.push(message);
  armExpiry(state, message);
  wake(state, message);
  serveSessions(state);
}

/** Forwards a message, or keeps it in the transfer dead-letter queue with the reason. */
export function forward(state: NaiveState, message: NaiveMessage, target: string): void {
  const lifeMs = message.expiresAtMs - message.enqueuedAtMs;
  const refusal = pass(state, message, target, lifeMs, message.deadLetterSource);
  if (refusal === undefined) return;
  keepUntransferred(state, message.store.entity, message, lifeMs, refusal);
}

function keepUntransferred(
  state: NaiveState,
  entity: NaiveEntity,
  message: NaiveMessage,
  lifeMs: number,
  refusal: string,
): void {
  const store = entity.transferDeadLetter;
  const kept: NaiveMessage = {
    ...message,
    store,
    arrival: takePlace(state, entity, message.sequence),
    enqueuedAtMs: state.nowMs,
    expiresAtMs: state.nowMs + lifeMs,
    wasScheduled: false,
    deliveryCount: 0,
    properties: { ...message.properties, DeadLetterReason: refusal },
  };
  store.messages.push(kept);
  wake(state, kept);
}

/** Passes a message to another entity; returns the reason if that is impossible. */
function pass(
  state: NaiveState,
  message: NaiveMessage,
  target: string,
  lifeMs: number,
  deadLetterSource: string | undefined,
): string | undefined {
  if (message.hops >= maxHops) return "MaxTransferHopCountExceeded";
  const { content, properties, enqueuedSequence, wasScheduled } = message;
  const hops = message.hops + 1;
  const sequence = undefined;
  const kept = { content, properties, enqueuedSequence, wasScheduled, deadLetterSource };
  return handOver(state, target, { ...kept, sequence, lifeMs, hops });
}

function handOver(state: NaiveState, target: string, transit: Transit): string | undefined {
  const entity = findEntity(state, target);
  if (entity === undefined) return "MessagingEntityNotFound";
  const { status } = entity.options;
  if (status === "Disabled" || status === "SendDisabled") return "MessagingEntityDisabled";
  if (!hasRoom(state, entity, costOf(transit.content))) return "QuotaExceeded";
  if (isDuplicate(state, entity, transit.content)) return undefined;
  use(state, entity);
  // Sent via another entity, with a scheduled time.
  if ((transit.content.scheduledAtMs ?? 0) > state.nowMs) keepScheduled(state, entity, transit.content);
  else route(state, entity, transit);
  return undefined;
}

/** Counts a failed delivery; the maximum dead-letters the message. */
export function failDelivery(state: NaiveState, message: NaiveMessage): void {
  if (countDelivery(message)) deadLetter(state, message, { DeadLetterReason: "MaxDeliveryCountExceeded" });
  else release(state, message);
}

/** Defers a message, which counts as a delivery. */
export function setAside(state: NaiveState, message: NaiveMessage): void {
  if (countDelivery(message)) deadLetter(state, message, { DeadLetterReason: "MaxDeliveryCountExceeded" });
  else {
    message.lock = undefined;
    message.state = "deferred";
    message.timer = undefined;
  }
}

/** Counts a delivery, except in dead-letter queues; returns whether the maximum is reached. */
function countDelivery(message: NaiveMessage): boolean {
  if (message.store.kind !== "main") return false;
  message.deliveryCount++;
  return message.deliveryCount >= message.store.entity.options.maxDeliveryCount;
}

/** Ends a lock; an active message that expired meanwhile is removed at once. */
export function release(state: NaiveState, message: NaiveMessage): void {
  message.lock = undefined;
  message.timer = undefined;
  if (message.state !== "active") return;
  if (message.store.kind !== "main") {
    wake(state, message);
    return;
  }
  const { forwardTo } = message.store.entity.options;
  if (message.expiresAtMs <= state.nowMs) expire(state, message);
  else if (forwardTo !== undefined) {
    remove(message);
    forward(state, message, forwardTo);
  } else {
    armExpiry(state, message);
    wake(state, message);
    serveSessions(state);
  }
}

/** Expires a message. */
export function expire(state: NaiveState, message: NaiveMessage): void {
  if (message.store.entity.options.deadLetteringOnMessageExpiration) {
    deadLetter(state, message, { DeadLetterReason: "TTLExpiredException" });
  } else {
    remove(message);
  }
}

/** Moves a message to the dead-letter queue, or to the target of dead-letter forwarding. */
export function deadLetter(state: NaiveState, message: NaiveMessage, record: NaiveProperties): void {
  const { entity } = message.store;
  remove(message);
  const dead: NaiveMessage = {
    ...message,
    store: entity.deadLetter,
    arrival: takePlace(state, entity, message.sequence),
    properties: { ...message.properties, ...record },
    state: "active",
    wasScheduled: false,
    lock: undefined,
    timer: undefined,
  };
  const target = entity.options.forwardDeadLetteredMessagesTo;
  const isForwarded =
    target !== undefined &&
    pass(state, dead, target, message.content.timeToLiveMs, entity.path) === undefined;
  if (isForwarded) return;
  entity.deadLetter.messages.push(dead);
  wake(state, dead);
}

/** Starts the time to live of a message. */
export function armExpiry(state: NaiveState, message: NaiveMessage): void {
  message.timer =
    message.expiresAtMs === Number.POSITIVE_INFINITY ? undefined : arm(state, message.expiresAtMs);
}
