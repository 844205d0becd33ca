import type * as Sdk from "@azure/service-bus";

// The SDK's names that stay the SDK's: administration, and what its answers are made of. The types hold the lists complete, as in
// `replacements.ts`.

type Names<Type> = { readonly [Name in keyof Type & string]-?: true };

const administrationClient = {
  getNamespaceProperties: true,
  createQueue: true,
  getQueue: true,
  getQueueRuntimeProperties: true,
  listQueues: true,
  listQueuesRuntimeProperties: true,
  updateQueue: true,
  deleteQueue: true,
  queueExists: true,
  createTopic: true,
  getTopic: true,
  getTopicRuntimeProperties: true,
  listTopics: true,
  listTopicsRuntimeProperties: true,
  updateTopic: true,
  deleteTopic: true,
  topicExists: true,
  createSubscription: true,
  getSubscription: true,
  getSubscriptionRuntimeProperties: true,
  listSubscriptions: true,
  listSubscriptionsRuntimeProperties: true,
  updateSubscription: true,
  deleteSubscription: true,
  subscriptionExists: true,
  createRule: true,
  getRule: true,
  listRules: true,
  updateRule: true,
  deleteRule: true,
  ruleExists: true,
  pipeline: true,
  sendRequest: true,
  sendOperationRequest: true,
} satisfies Names<Sdk.ServiceBusAdministrationClient>;

const queue = {
  lockDuration: true,
  maxSizeInMegabytes: true,
  maxMessageSizeInKilobytes: true,
  requiresDuplicateDetection: true,
  requiresSession: true,
  defaultMessageTimeToLive: true,
  deadLetteringOnMessageExpiration: true,
  duplicateDetectionHistoryTimeWindow: true,
  maxDeliveryCount: true,
  enableBatchedOperations: true,
  authorizationRules: true,
  status: true,
  forwardTo: true,
  userMetadata: true,
  autoDeleteOnIdle: true,
  enablePartitioning: true,
  forwardDeadLetteredMessagesTo: true,
  enableExpress: true,
  availabilityStatus: true,
} as const;

const queueProperties = { name: true, ...queue } satisfies Names<Sdk.QueueProperties>;

type OnlyOwn<Type> = Omit<Type, keyof Sdk.OperationOptions>;

const createQueueOptions = queue satisfies Names<OnlyOwn<Sdk.CreateQueueOptions>>;

const topic = {
  defaultMessageTimeToLive: true,
  maxSizeInMegabytes: true,
  maxMessageSizeInKilobytes: true,
  requiresDuplicateDetection: true,
  duplicateDetectionHistoryTimeWindow: true,
  enableBatchedOperations: true,
  authorizationRules: true,
  status: true,
  userMetadata: true,
  supportOrdering: true,
  autoDeleteOnIdle: true,
  enablePartitioning: true,
  enableExpress: true,
  availabilityStatus: true,
} as const;

const topicProperties = { name: true, ...topic } satisfies Names<Sdk.TopicProperties>;

const createTopicOptions = topic satisfies Names<OnlyOwn<Sdk.CreateTopicOptions>>;

const subscription = {
  lockDuration: true,
  requiresSession: true,
  defaultMessageTimeToLive: true,
  deadLetteringOnMessageExpiration: true,
  deadLetteringOnFilterEvaluationExceptions: true,
  maxDeliveryCount: true,
  enableBatchedOperations: true,
  status: true,
  forwardTo: true,
  userMetadata: true,
  forwardDeadLetteredMessagesTo: true,
  autoDeleteOnIdle: true,
  availabilityStatus: true,
} as const;

const subscriptionProperties = {
  subscriptionName: true,
  topicName: true,
  ...subscription,
} satisfies Names<Sdk.SubscriptionProperties>;

const createSubscriptionOptions = {
  ...subscription,
  defaultRuleOptions: true,
} satisfies Names<OnlyOwn<Sdk.CreateSubscriptionOptions>>;

const queueRuntimeProperties = {
  name: true,
  createdAt: true,
  modifiedAt: true,
  accessedAt: true,
  totalMessageCount: true,
  activeMessageCount: true,
  deadLetterMessageCount: true,
  scheduledMessageCount: true,
  transferMessageCount: true,
  transferDeadLetterMessageCount: true,
  sizeInBytes: true,
} satisfies Names<Sdk.QueueRuntimeProperties>;

const topicRuntimeProperties = {
  name: true,
  sizeInBytes: true,
  subscriptionCount: true,
  scheduledMessageCount: true,
  createdAt: true,
  modifiedAt: true,
  accessedAt: true,
} satisfies Names<Sdk.TopicRuntimeProperties>;

const subscriptionRuntimeProperties = {
  subscriptionName: true,
  topicName: true,
  totalMessageCount: true,
  activeMessageCount: true,
  deadLetterMessageCount: true,
  transferMessageCount: true,
  transferDeadLetterMessageCount: true,
  createdAt: true,
  modifiedAt: true,
  accessedAt: true,
} satisfies Names<Sdk.SubscriptionRuntimeProperties>;

const namespaceProperties = {
  createdAt: true,
  messagingSku: true,
  modifiedAt: true,
  name: true,
  messagingUnits: true,
} satisfies Names<Sdk.NamespaceProperties>;

const authorizationRule = {
  claimType: true,
  accessRights: true,
  keyName: true,
  primaryKey: true,
  secondaryKey: true,
} satisfies Names<Sdk.AuthorizationRule>;

/** The types of the SDK that go on beside waybill as they are, with their members. */
export const administrationTypes: Readonly<Record<string, Readonly<Record<string, true>>>> = {
  ServiceBusAdministrationClient: administrationClient,
  CreateQueueOptions: createQueueOptions,
  QueueProperties: queueProperties,
  QueueRuntimeProperties: queueRuntimeProperties,
  CreateTopicOptions: createTopicOptions,
  TopicProperties: topicProperties,
  TopicRuntimeProperties: topicRuntimeProperties,
  CreateSubscriptionOptions: createSubscriptionOptions,
  SubscriptionProperties: subscriptionProperties,
  SubscriptionRuntimeProperties: subscriptionRuntimeProperties,
  NamespaceProperties: namespaceProperties,
  AuthorizationRule: authorizationRule,
};

/** The SDK's remaining exported types: what they stand for, in a sentence each. */
export const otherTypes: Readonly<Record<string, string>> = {
  ServiceBusAdministrationClientOptions: "options of the administration client, as they are",
  EntityStatus: "of the administration client, as it is",
  EntityAvailabilityStatus: "of the administration client, as it is",
  EntitiesResponse: "of the administration client, as it is",
  WithResponse: "of the administration client, as it is",
  HttpHeader: "of the administration client, as it is",
  HttpHeadersLike: "of the administration client, as it is",
  HttpResponse: "of the administration client, as it is",
  RawHttpHeaders: "of the administration client, as it is",
  TransferProgressEvent: "of the administration client, as it is",
  WebResourceLike: "of the administration client, as it is",
  OperationOptions: "of the administration client; calls of waybill take `abortSignal`",
  GetMessageIteratorOptions:
    "`MessageIteratorOptions`: `maxWaitTimeInMs`, `prefetchCount`, `autoCompleteMessages`, `abortSignal`",
  Delivery: "not needed: `message.deserialization` and `message.lockToken` say what a delivery is",
  RetryOptions: "of your `ServiceBusClient`, as it is",
  TokenCredential: "of your `ServiceBusClient`, as it is",
  WebSocketImpl: "of your `ServiceBusClient`, as it is",
  WebSocketOptions: "of your `ServiceBusClient`, as it is",
};
