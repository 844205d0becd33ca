/** For authors of front ends (servers and transports) and of clocks. */

export type { MessageReceiver } from "./client/message-receiver.js";
export type {
  ResolvedQueueOptions,
  ResolvedSubscriptionOptions,
  ResolvedTopicOptions,
} from "./entities/entity-options.js";
export { splitEntityPath } from "./entities/entity-path.js";
export { propertyLimits } from "./messages/check-message.js";
export type { EveryProperty, SendableProperties, WireDecoder } from "./messages/message.js";
export type { MessageLock } from "./messages/message-lock.js";
export { type MessageStamps, stampsOf } from "./messages/received-message.js";
export {
  isTypedConstant,
  type RuleGuid,
  type RuleOpaque,
  type RuleTimeSpan,
  ruleGuid,
  ruleTimeSpan,
} from "./rules/evaluation/rule-value.js";
export { typedConstant, typedText } from "./rules/evaluation/typed-value.js";
export type { SqlText } from "./rules/rule.js";
export type { SqlParameters } from "./rules/sql-filter/parser.js";
export type { ClockAttachment, ClockDriven } from "./timing/clock.js";
export { steadyNow } from "./timing/clock.js";
