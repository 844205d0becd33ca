import type { Engine } from "../engine/engine.js";
import type { ApplicationProperties, MessageId } from "../messages/message.js";
import { type MessageContent, readApplicationProperties } from "../messages/message-content.js";
import { dateOf } from "../messages/received-message.js";
import { type PropertyName, type RuleSubject, ruleSubject } from "../rules/evaluation/rule-subject.js";
import { opaque, type RuleValue, ruleTimeSpan } from "../rules/evaluation/rule-value.js";
import type { SystemProperty } from "../rules/evaluation/system-property.js";
import type { Transit } from "./transit.js";

const ticksPerMs = 10_000n;

/** How the properties that a sender sets are read; one that is missing does not compile. */
const sentProperties = {
  ContentType: ({ contentType }) => contentType,
  CorrelationId: ({ rare }) => idValue(rare?.correlationId),
  ForcePersistence: ({ rare }) => rare?.forcePersistence === true,
  Label: ({ subject }) => subject,
  MessageId: ({ messageId }) => idValue(messageId),
  PartitionKey: ({ partitionKey, sessionId }) => partitionKey ?? sessionId,
  ReplyTo: ({ rare }) => rare?.replyTo,
  ReplyToSessionId: ({ rare }) => rare?.replyToSessionId,
  ScheduledEnqueueTimeUtc: ({ scheduledEnqueueTimeMs }) => dateOf(scheduledEnqueueTimeMs),
  SessionId: ({ sessionId }) => sessionId,
  Size: ({ sizeInBytes }) => BigInt(sizeInBytes),
  To: ({ rare }) => rare?.to,
  ViaPartitionKey: ({ rare }) => rare?.viaPartitionKey,
} satisfies Partial<Record<SystemProperty, (content: MessageContent) => RuleValue | undefined>>;

/** A topic's message as rules see it. Its application properties are read only when a rule needs one. */
export class MessageSubject implements RuleSubject {
  readonly #engine: Engine;
  readonly #transit: Transit;
  readonly #sequence: number;
  readonly #nowMs: number;
  #application: RuleSubject | undefined;

  constructor(engine: Engine, transit: Transit, sequence: number, nowMs: number) {
    this.#engine = engine;
    this.#transit = transit;
    this.#sequence = sequence;
    this.#nowMs = nowMs;
  }

  system(property: SystemProperty): RuleValue {
    const { content, lifeMs } = this.#transit;
    switch (property) {
      case "EnqueuedTimeUtc":
        return new Date(this.#nowMs);
      case "SequenceNumber":
      case "EnqueuedSequenceNumber":
        return BigInt(this.#sequence);
      case "ExpiresAtUtc":
        return Number.isFinite(lifeMs) ? new Date(this.#nowMs + lifeMs) : null;
      case "TimeToLive":
        return Number.isFinite(lifeMs) ? ruleTimeSpan(BigInt(Math.round(lifeMs)) * ticksPerMs) : null;
      case "DeadLetterSource":
        return this.#transit.deadLetterSource ?? null;
      case "LockedUntilUtc":
      case "LockToken":
        return null;
      case "DeliveryCount":
      case "State":
        return 0n;
      default:
        return sentProperties[property](content) ?? null;
    }
  }

  application(name: PropertyName): RuleValue | undefined {
    return this.#read().application(name);
  }

  spelling(name: PropertyName): string {
    return this.#read().spelling(name);
  }

  #read(): RuleSubject {
    if (this.#application === undefined) {
      const values = new Map<string, RuleValue>();
      for (const [name, value] of Object.entries(this.#properties())) values.set(name, toRuleValue(value));
      this.#application = ruleSubject({ application: values });
    }
    return this.#application;
  }

  #properties(): ApplicationProperties {
    const { content, propertyChanges, readProperties } = this.#transit;
    if (content.isWire && readProperties !== undefined) return { ...readProperties(), ...propertyChanges };
    const { storage, wireDecoder } = this.#engine;
    return readApplicationProperties(content, propertyChanges, storage.readBody(content.bodyId), wireDecoder);
  }
}

/** Converts a rule's value to an application property's. */
export function fromRuleValue(value: RuleValue | undefined): ApplicationProperties[string] {
  if (typeof value !== "bigint") return value;
  return Number.isSafeInteger(Number(value)) ? Number(value) : value;
}

/** Rules see every integer as a `bigint`, whichever AMQP type it had. */
function toRuleValue(value: ApplicationProperties[string]): RuleValue {
  switch (typeof value) {
    case "number":
      return Number.isSafeInteger(value) ? BigInt(value) : value;
    case "string":
    case "bigint":
    case "boolean":
      return value;
    case "undefined":
      return null;
    default:
      if (value === null || value instanceof Uint8Array) return value;
      if (value instanceof Date) return Number.isNaN(value.getTime()) ? opaque : value;
      return isTypedRuleValue(value) ? value : opaque;
  }
}

function isTypedRuleValue(value: object): value is Extract<RuleValue, { type: string }> {
  const { type, value: text, ticks } = value as { type?: unknown; value?: unknown; ticks?: unknown };
  return (type === "guid" && typeof text === "string") || (type === "timespan" && typeof ticks === "bigint");
}

/** Rules see ids of every AMQP type as text. */
function idValue(id: MessageId | undefined): RuleValue {
  if (id === undefined) return null;
  return id instanceof Uint8Array ? id : String(id);
}
