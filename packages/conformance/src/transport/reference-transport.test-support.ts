import type { EncodedMessage, Transport } from "@waybill/core";
import {
  checkRule,
  type EntityAddress,
  type TransportCapability,
  type TransportMessageBatch,
} from "@waybill/core/transport";
import { failure, findStored, type Lane, ReferenceBroker } from "./reference-broker.test-support.js";
import { ReferencePart } from "./reference-part.test-support.js";
import { ReferenceReceiver, ReferenceSessionReceiver } from "./reference-receiver.test-support.js";
import { matches, withAction } from "./reference-rules.test-support.js";
import type { TransportSubject } from "./transport-subject.js";

/** Everything the contract knows. */
const everyCapability: readonly TransportCapability[] = [
  "scheduling",
  "deferral",
  "sessions",
  "sessionEnumeration",
  "rules",
  "transferDeadLetter",
];

const maxMessageBytes = 256 * 1024;

/**
 * A transport with every capability on a broker of a few arrays: slow, in memory, and written from the contract alone. It shows that the
 * law can be obeyed in full, and the tests break it to show that the law notices.
 */
export function referenceSubject(
  breakTransport: (transport: Transport) => Transport = (transport) => transport,
): TransportSubject {
  return {
    capabilities: everyCapability,
    patienceMs: 100,
    async create() {
      const broker = new ReferenceBroker();
      const transport = referenceTransport(broker);
      return {
        transport: breakTransport(transport),
        createQueue: (setting) => broker.createQueue(setting),
        createTopic: (subscriptions, setting) => broker.createTopic(subscriptions, setting),
        advance: (durationMs) => broker.advance(durationMs),
        now: () => broker.now(),
        [Symbol.asyncDispose]: () => transport.close(),
      };
    },
  };
}

function referenceTransport(broker: ReferenceBroker): Transport {
  const closing = new AbortController();
  const open = (path: string) => new ReferencePart(broker, path, closing.signal);
  return {
    capabilities: new Set(everyCapability),
    createSender(entity) {
      const part = open(entity);
      const sendAll = (messages: readonly EncodedMessage[]) => {
        const lanes = (broker.topics.get(entity) ?? [entity]).map((path) => broker.lane(path));
        for (const message of messages) checkSendable(message, lanes, entity);
        const numbers = messages.map((message) => sendOne(message, lanes, broker.topics.has(entity)));
        broker.pump();
        return numbers;
      };
      return {
        entityPath: entity,
        send: (messages, options) => part.call(options, () => void sendAll(messages)),
        createBatch: (options) =>
          part.call(options, () => referenceBatch(entity, options?.maxSizeInBytes ?? maxMessageBytes)),
        sendBatch: (batch, options) =>
          part.call(options, () => void sendAll((batch as ReferenceBatch).messages)),
        schedule: (messages, at, options) =>
          part.call(options, () =>
            sendAll(messages.map((message) => ({ ...message, scheduledEnqueueTimeUtc: at }))),
          ),
        cancelScheduled: (numbers, options) =>
          part.call(options, () => {
            const lane = broker.lane(entity);
            const found = numbers.map((number) => findStored(lane, number, "scheduled"));
            for (const stored of found) lane.remove(stored);
          }),
        close: () => part.close(),
      };
    },
    createReceiver: (address, mode) => new ReferenceReceiver(open(pathOf(address)), mode, undefined),
    acceptSession(address, sessionId, options) {
      const path = pathOf(address);
      const part = open(path);
      return part.waiting(options, options.maxWaitTimeInMs, (isDue) => {
        const lane = broker.lane(path);
        if (!lane.setting.requiresSession)
          throw failure("operation-invalid", "The entity has no sessions.", path);
        if (sessionId !== undefined && lane.isHeld(sessionId))
          throw failure("session-cannot-be-locked", "Another receiver holds the session.", path);
        const id =
          sessionId ??
          lane.messages.find(({ state, message }) => state === "active" && !lane.isHeld(message.sessionId!))
            ?.message.sessionId;
        if (id !== undefined) return new ReferenceSessionReceiver(part, options.receiveMode, lane.hold(id));
        if (isDue) throw failure("timeout", "No session came.", path);
        return undefined;
      });
    },
    async listSessions(address, { updatedAfter, skip, top, ...options }) {
      const path = pathOf(address);
      return open(path).call(options, () => {
        const lane = broker.lane(path);
        if (!lane.setting.requiresSession)
          throw failure("operation-invalid", "The entity has no sessions.", path);
        const ids =
          updatedAfter === undefined
            ? lane.messages.map(({ message }) => message.sessionId!)
            : [...lane.states].filter(([, { setAt }]) => setAt > updatedAfter).map(([id]) => id);
        return [...new Set(ids)].sort().slice(skip, skip + top);
      });
    },
    createRuleManager(topic, subscription) {
      const path = pathOf({ topic, subscription });
      const part = open(path);
      return {
        createRule: (rule, options) =>
          part.call(options, () => {
            const { rules } = broker.lane(path);
            if (rules.has(rule.name)) throw failure("entity-already-exists", "The name is taken.", path);
            checkRule(rule, path);
            matches(rule.filter, { message: { body: new Uint8Array() }, properties: {} });
            rules.set(rule.name, structuredClone(rule));
          }),
        deleteRule: (name, options) =>
          part.call(options, () => {
            if (!broker.lane(path).rules.delete(name))
              throw failure("entity-not-found", "There is no such rule.", path);
          }),
        listRules: (options) =>
          part.call(options, () => structuredClone([...broker.lane(path).rules.values()])),
        close: () => part.close(),
      };
    },
    async close() {
      closing.abort(failure("closed", "The transport is closed."));
    },
    [Symbol.asyncDispose]() {
      return this.close();
    },
  };
}

interface ReferenceBatch extends TransportMessageBatch {
  readonly messages: EncodedMessage[];
}

function referenceBatch(entity: string, maxSizeInBytes: number): ReferenceBatch {
  if (maxSizeInBytes > maxMessageBytes) throw failure("operation-invalid", "That is too large.", entity);
  const messages: EncodedMessage[] = [];
  const sizeOf = (message: EncodedMessage) =>
    JSON.stringify(message.applicationProperties ?? {}).length + 100;
  const bodyOf = ({ body }: EncodedMessage) => (body instanceof Uint8Array ? body.length : 100);
  return {
    messages,
    maxSizeInBytes,
    get count() {
      return messages.length;
    },
    get sizeInBytes() {
      return messages.reduce((bytes, message) => bytes + sizeOf(message) + bodyOf(message), 0);
    },
    tryAdd(message) {
      if (this.sizeInBytes + sizeOf(message) + bodyOf(message) > maxSizeInBytes) return false;
      messages.push(message);
      return true;
    },
  };
}

function checkSendable({ body, sessionId }: EncodedMessage, lanes: readonly Lane[], entity: string): void {
  if (body instanceof Uint8Array && body.length > maxMessageBytes)
    throw failure("message-too-large", "The message is too large.", entity);
  if (sessionId === undefined && lanes.some(({ setting }) => setting.requiresSession))
    throw failure("operation-invalid", "The entity needs a session id.", entity);
}

function sendOne(message: EncodedMessage, lanes: readonly Lane[], isTopic: boolean): bigint {
  let number = 0n;
  for (const lane of lanes) {
    const properties = { ...message.applicationProperties };
    const hits = [...lane.rules.values()].filter(({ filter }) => matches(filter, { message, properties }));
    if (isTopic && hits.length === 0) continue;
    const changed = hits.reduce((copy, { action }) => withAction(copy, action), message);
    number = lane.add(isTopic ? changed : message);
  }
  return number;
}

function pathOf(address: EntityAddress): string {
  const path = "queue" in address ? address.queue : `${address.topic}/Subscriptions/${address.subscription}`;
  if (address.subQueue === undefined) return path;
  return `${path}/${address.subQueue === "deadLetter" ? "" : "$Transfer/"}$DeadLetterQueue`;
}
