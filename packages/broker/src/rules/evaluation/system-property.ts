import type { RuleValueKind } from "./rule-value.js";

/** The public name of a message's system property, as in `sys.` expressions. */
export type SystemProperty = keyof typeof systemProperties;

/** Those that an action may set. */
export type WritableSystemProperty = {
  [Name in SystemProperty]: (typeof systemProperties)[Name]["isWritable"] extends true ? Name : never;
}[SystemProperty];

/** How rules may use a system property: its type, whether an action may set it, its maximum length. */
export interface SystemPropertyRule {
  readonly kind: RuleValueKind;
  readonly isWritable: boolean;
  readonly maxLength: number;
}

/**
 * The system properties that rules know, by the public names of the message classes.
 * Source: "Messages, payloads, and serialization", and the settable properties of `BrokeredMessage`.
 */
export const systemProperties = {
  ContentType: writable("string"),
  CorrelationId: writable("string"),
  DeadLetterSource: readOnly("string"),
  DeliveryCount: readOnly("integer"),
  EnqueuedSequenceNumber: readOnly("integer"),
  EnqueuedTimeUtc: readOnly("date"),
  ExpiresAtUtc: readOnly("date"),
  ForcePersistence: writable("boolean"),
  Label: writable("string"),
  LockedUntilUtc: readOnly("date"),
  LockToken: readOnly("guid"),
  MessageId: writable("string", 128),
  PartitionKey: writable("string", 128),
  ReplyTo: writable("string"),
  ReplyToSessionId: writable("string", 128),
  ScheduledEnqueueTimeUtc: writable("date"),
  SequenceNumber: readOnly("integer"),
  SessionId: writable("string", 128),
  Size: readOnly("integer"),
  State: readOnly("integer"),
  TimeToLive: writable("timespan"),
  To: writable("string"),
  ViaPartitionKey: writable("string", 128),
} as const satisfies Record<string, SystemPropertyRule>;

/** Names of the current SDKs that differ from those in the rule language. */
const aliases = {
  Subject: "Label",
  EnqueuedTime: "EnqueuedTimeUtc",
  ExpiresAt: "ExpiresAtUtc",
  LockedUntil: "LockedUntilUtc",
  ScheduledEnqueueTime: "ScheduledEnqueueTimeUtc",
  TransactionPartitionKey: "ViaPartitionKey",
} as const satisfies Record<string, SystemProperty>;

const byFoldedName = new Map<string, SystemProperty>([
  ...Object.keys(systemProperties).map((name) => [name.toLowerCase(), name as SystemProperty] as const),
  ...Object.entries(aliases).map(([alias, name]) => [alias.toLowerCase(), name] as const),
]);

/** Finds a system property by name, ignoring case; the names of newer SDKs are recognised too. */
export function systemProperty(name: string): SystemProperty | undefined {
  return byFoldedName.get(name.toLowerCase());
}

function writable(kind: RuleValueKind, maxLength = Number.POSITIVE_INFINITY) {
  return { kind, isWritable: true as const, maxLength };
}

function readOnly(kind: RuleValueKind) {
  return { kind, isWritable: false as const, maxLength: Number.POSITIVE_INFINITY };
}
