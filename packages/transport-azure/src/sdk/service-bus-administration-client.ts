import type { ServiceBusCallOptions } from "./service-bus-client.js";

/** The part of the `ServiceBusAdministrationClient` of `@azure/service-bus` that the catalog uses. The real class is assignable. */
export interface ServiceBusAdministrationClientLike {
  listQueues(
    options?: ServiceBusCallOptions,
  ): AsyncIterable<ListedOptions & ListedDuplicateDetection & { name: string }>;
  listQueuesRuntimeProperties(
    options?: ServiceBusCallOptions,
  ): AsyncIterable<ListedCounts & { name: string }>;
  listTopics(options?: ServiceBusCallOptions): AsyncIterable<ListedDuplicateDetection & { name: string }>;
  listTopicsRuntimeProperties(
    options?: ServiceBusCallOptions,
  ): AsyncIterable<{ name: string; scheduledMessageCount?: number }>;
  listSubscriptions(
    topic: string,
    options?: ServiceBusCallOptions,
  ): AsyncIterable<ListedOptions & { subscriptionName: string }>;
  listSubscriptionsRuntimeProperties(
    topic: string,
    options?: ServiceBusCallOptions,
  ): AsyncIterable<ListedCounts & { subscriptionName: string }>;
}

/** What a queue and a subscription have in common. */
export interface ListedOptions {
  requiresSession: boolean;
  /** An ISO 8601 duration. */
  defaultMessageTimeToLive: string;
  /** A path, or the URL into which the service turns it. */
  forwardTo?: string;
  forwardDeadLetteredMessagesTo?: string;
}

/** What a queue and a topic have in common. */
export interface ListedDuplicateDetection {
  requiresDuplicateDetection: boolean;
}

/** How many messages there are, by kind. */
export interface ListedCounts {
  activeMessageCount?: number;
  scheduledMessageCount?: number;
  deadLetterMessageCount: number;
  transferMessageCount: number;
  transferDeadLetterMessageCount: number;
}
