import type { ServiceBusCallOptions } from "./service-bus-client.js";

/** The part of the `ServiceBusAdministrationClient` of `@azure/service-bus` that the catalog uses. The real class is assignable. */
export interface ServiceBusAdministrationClientLike {
  listQueues(options?: ServiceBusCallOptions): AsyncIterable<ListedQueue>;
  listQueuesRuntimeProperties(options?: ServiceBusCallOptions): AsyncIterable<ListedCounts & ListedQueueName>;
  listTopics(options?: ServiceBusCallOptions): AsyncIterable<ListedTopic & ListedDuplicateDetection>;
  listTopicsRuntimeProperties(
    options?: ServiceBusCallOptions,
  ): AsyncIterable<ListedTopic & { scheduledMessageCount?: number }>;
  listSubscriptions(topic: string, options?: ServiceBusCallOptions): AsyncIterable<ListedSubscription>;
  listSubscriptionsRuntimeProperties(
    topic: string,
    options?: ServiceBusCallOptions,
  ): AsyncIterable<ListedCounts & ListedSubscriptionName>;
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

/** The name of a queue. */
export interface ListedQueueName {
  name: string;
}

/** The name of a subscription. */
export interface ListedSubscriptionName {
  subscriptionName: string;
}

/** A queue as it is listed. */
export interface ListedQueue extends ListedQueueName, ListedOptions, ListedDuplicateDetection {}

/** What a queue and a topic have in common. */
export interface ListedDuplicateDetection {
  requiresDuplicateDetection: boolean;
}

/** A topic as it is listed. */
export interface ListedTopic {
  name: string;
}

/** A subscription as it is listed. */
export interface ListedSubscription extends ListedSubscriptionName, ListedOptions {}

/** How many messages there are, by kind. */
export interface ListedCounts {
  activeMessageCount?: number;
  scheduledMessageCount?: number;
  deadLetterMessageCount: number;
  transferMessageCount: number;
  transferDeadLetterMessageCount: number;
}
