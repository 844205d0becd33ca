import type { ApplicationProperties } from "../messages/message.js";
import { type MessageContent, noRareProperties, type RareProperties } from "../messages/message-content.js";
import type { RuleChanges } from "../rules/evaluation/rule-subject.js";
import type { RuleValue } from "../rules/evaluation/rule-value.js";
import type { SystemProperty, WritableSystemProperty } from "../rules/evaluation/system-property.js";
import { fromRuleValue } from "./message-subject.js";
import type { Transit } from "./transit.js";

const ticksPerMs = 10_000;
const rareFields = {
  CorrelationId: "correlationId",
  ForcePersistence: "forcePersistence",
  ReplyTo: "replyTo",
  ReplyToSessionId: "replyToSessionId",
  To: "to",
  ViaPartitionKey: "viaPartitionKey",
} as const satisfies FieldsOf<RareProperties>;
/** One that an action may set and that is neither here, above nor a time of `changedField` does not compile. */
const textFields = {
  ContentType: "contentType",
  Label: "subject",
  MessageId: "messageId",
  PartitionKey: "partitionKey",
  SessionId: "sessionId",
} as const satisfies Record<
  Exclude<WritableSystemProperty, keyof typeof rareFields | "TimeToLive" | "ScheduledEnqueueTimeUtc">,
  keyof MessageContent
>;
type FieldsOf<Content> = Partial<Record<SystemProperty, keyof Content>>;

/** A copy of a message with the changes of a rule's action. The original is unchanged, for the other copies. */
export function applyRuleChanges(transit: Transit, changes: RuleChanges): Transit {
  let { content, lifeMs, propertyChanges } = transit;
  if (changes.application.size > 0) {
    const changed: Record<string, ApplicationProperties[string]> = {};
    for (const [name, value] of changes.application) {
      Object.defineProperty(changed, name, {
        value: fromRuleValue(value),
        enumerable: true,
        configurable: true,
        writable: true,
      });
    }
    propertyChanges = { ...propertyChanges, ...changed };
  }
  for (const [property, value] of changes.system) {
    if (property === "TimeToLive") lifeMs = toLifeMs(value);
    content = { ...content, ...changedField(content, property, value), hasChangedProperties: true };
  }
  return { ...transit, content, lifeMs, propertyChanges };
}

function changedField(
  { rare = noRareProperties }: MessageContent,
  property: SystemProperty,
  value: RuleValue,
): Partial<MessageContent> {
  const rareField = (rareFields as FieldsOf<RareProperties>)[property];
  if (rareField !== undefined) {
    const cleared = rareField === "forcePersistence" ? false : undefined;
    return { rare: { ...rare, [rareField]: value ?? cleared } };
  }
  const field = (textFields as FieldsOf<MessageContent>)[property];
  if (field !== undefined) return { [field]: value === null ? undefined : (value as string) };
  switch (property) {
    case "TimeToLive":
      return { timeToLiveMs: Number.isFinite(toLifeMs(value)) ? toLifeMs(value) : undefined };
    case "ScheduledEnqueueTimeUtc":
      return { scheduledEnqueueTimeMs: value instanceof Date ? value.getTime() : undefined };
    default:
      return {};
  }
}

function toLifeMs(value: RuleValue): number {
  const isSpan = typeof value === "object" && value !== null && "ticks" in value;
  return isSpan ? Number(value.ticks) / ticksPerMs : Number.POSITIVE_INFINITY;
}
