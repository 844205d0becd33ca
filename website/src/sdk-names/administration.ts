// The SDK's names that stay the SDK's: administration, what its answers are made of, and the rest. `sdk-names.test.ts` holds the lists complete.

/** The types of the SDK that go on beside waybill as they are, with their members. */
export const administrationTypes = [
  "ServiceBusAdministrationClient",
  "CreateQueueOptions",
  "QueueProperties",
  "QueueRuntimeProperties",
  "CreateTopicOptions",
  "TopicProperties",
  "TopicRuntimeProperties",
  "CreateSubscriptionOptions",
  "SubscriptionProperties",
  "SubscriptionRuntimeProperties",
  "NamespaceProperties",
  "AuthorizationRule",
] as const;

/** What the administration client has of the class that it extends, which the SDK does not export. */
export const inheritedMembers = ["pipeline", "sendRequest", "sendOperationRequest"] as const;

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
