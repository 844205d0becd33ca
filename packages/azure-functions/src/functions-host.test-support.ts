import { randomUUID } from "node:crypto";
import {
  ServiceBusClient,
  type ServiceBusReceivedMessage,
  type ServiceBusReceiver,
  type ServiceBusSessionReceiver,
} from "@azure/service-bus";
import { createBroker, type QueueOptions } from "@waybill/broker";
import { serve } from "@waybill/broker-server";
import rhea from "rhea";
import { type RegisteredFunction, registeredFunction } from "./functions-worker.test-support.js";
import type { BoundInput } from "./message/bound-message.js";
import { openSettlementServer } from "./settlement-server.test-support.js";

/** What the host lets the SDK binding's actions do with a locked message. */
export interface HostLocks {
  locked(lockToken: string): ServiceBusReceivedMessage;
  readonly receiver: ServiceBusReceiver;
  /** Tokens of messages that actions settled: the host leaves these alone afterwards. */
  readonly settled: Set<string>;
  /** Settles one message after the other: the official SDK confuses different settlements of the same moment. */
  settle(lockToken: string, work: (message: ServiceBusReceivedMessage) => Promise<void>): Promise<void>;
}

/** Which extension makes the input of the SDK binding: the installed preview, or the shape of version 0.5. */
export type Extension = "0.2" | "0.5";

/**
 * The part of the Functions host between Service Bus and a function, over the local broker's AMQP port: it receives, converts as the host's
 * extension does, calls the function through the real `@azure/functions`, and completes or abandons.
 */
export async function openFunctionsHost(queue: QueueOptions = {}, extension: Extension = "0.5") {
  const broker = createBroker();
  await broker.createQueue("orders", { maxDeliveryCount: 10, ...queue });
  await broker.createTopic("events");
  await broker.createSubscription("events", "billing");
  const server = await serve(broker, { port: 0 });
  const client = new ServiceBusClient(server.connectionString);
  const settlements = extension === "0.2" ? await openSettlementServer() : undefined;
  const logs: string[] = [];
  const close = async () => {
    await client.close();
    await settlements?.close();
    await server.close();
    await broker.close();
  };
  return {
    broker,
    client,
    connectionString: server.connectionString,
    logs,
    /** Receives up to this many messages and calls the function with them; resolves with what it threw. */
    async deliver(name: string, maxMessages = 1): Promise<unknown> {
      const one = registeredFunction(name);
      const receiver = await openReceiver(client, one);
      const messages = await receiver.receiveMessages(maxMessages, { maxWaitTimeInMs: 2_000 });
      const locks = locksOf(receiver, messages);
      settlements?.use(locks);
      const error = await call(one, messages, { locks, extension, logs });
      for (const message of messages) {
        if (locks.settled.has(message.lockToken!)) continue;
        if (error !== undefined)
          await receiver.abandonMessage(message).catch((fault) => logs.push(String(fault)));
        else if (one.trigger.autoCompleteMessages !== false)
          await receiver.completeMessage(message).catch((fault) => logs.push(String(fault)));
      }
      await receiver.close();
      return error;
    },
    [Symbol.asyncDispose]: close,
  };
}

function openReceiver(
  client: ServiceBusClient,
  { trigger }: RegisteredFunction,
): Promise<ServiceBusReceiver> | ServiceBusReceiver {
  const options = {
    maxAutoLockRenewalDurationInMs: 0,
    skipParsingBodyAsJson: true,
    skipConvertingDate: true,
  };
  if (trigger.isSessionsEnabled === true)
    return client.acceptNextSession(trigger.queueName as string, options);
  return trigger.topicName === undefined
    ? client.createReceiver(trigger.queueName as string, options)
    : client.createReceiver(trigger.topicName as string, trigger.subscriptionName as string, options);
}

function locksOf(receiver: ServiceBusReceiver, messages: readonly ServiceBusReceivedMessage[]): HostLocks {
  const locked = (lockToken: string) => {
    const message = messages.find((one) => one.lockToken === lockToken);
    if (message !== undefined) return message;
    throw Object.assign(new Error("9 FAILED_PRECONDITION"), { code: 9, details: "No such lock." });
  };
  const settled = new Set<string>();
  let last = Promise.resolve();
  const settle: HostLocks["settle"] = (lockToken, work) => {
    const settling = last.then(() => work(locked(lockToken)));
    last = settling.catch(() => {});
    return settling.then(() => void settled.add(lockToken));
  };
  return { receiver, locked, settled, settle };
}

async function call(
  one: RegisteredFunction,
  messages: readonly ServiceBusReceivedMessage[],
  {
    locks,
    extension,
    logs,
  }: { readonly locks: HostLocks; readonly extension: Extension; readonly logs: string[] },
): Promise<unknown> {
  const isBatch = one.trigger.cardinality === "many";
  try {
    if (one.trigger.sdkBinding === true) {
      const content = messages.map(bindingContent);
      if (extension === "0.5") await one.invoke(boundData(content, locks), {}, logs);
      else await one.invoke(modelBindingData(content, isBatch), {}, logs);
    } else await one.invoke(bodiesOf(messages, one.trigger), triggerMetadata(messages, isBatch), logs);
    return undefined;
  } catch (error) {
    return error;
  }
}

/** Text, unless the trigger asks for bytes. Source: `MessageToStringConverter` of the host. */
function bodiesOf(
  messages: readonly ServiceBusReceivedMessage[],
  { dataType, cardinality }: RegisteredFunction["trigger"],
) {
  const bytes = messages.map(({ body }) => body as Buffer);
  const texts = bytes.map((body) => body.toString("utf8"));
  if (cardinality === "many")
    return dataType === "binary" ? { collectionBytes: { bytes } } : { collectionString: { string: texts } };
  return dataType === "binary" ? { bytes: bytes[0] } : { string: texts[0] };
}

/** Source: `ServiceBusTriggerBindingStrategy` of the host. */
function triggerMetadata(messages: readonly ServiceBusReceivedMessage[], isBatch: boolean): object {
  const [first] = messages;
  const values = {
    MessageId: (message: ServiceBusReceivedMessage) => message.messageId,
    ContentType: (message: ServiceBusReceivedMessage) => message.contentType,
    Subject: (message: ServiceBusReceivedMessage) => message.subject,
    CorrelationId: (message: ServiceBusReceivedMessage) => message.correlationId,
    ReplyTo: (message: ServiceBusReceivedMessage) => message.replyTo,
    SessionId: (message: ServiceBusReceivedMessage) => message.sessionId,
    LockToken: (message: ServiceBusReceivedMessage) => message.lockToken,
    SequenceNumber: (message: ServiceBusReceivedMessage) => message.sequenceNumber?.toNumber(),
    DeliveryCount: (message: ServiceBusReceivedMessage) => (message.deliveryCount ?? 0) + 1,
    EnqueuedTimeUtc: (message: ServiceBusReceivedMessage) => message.enqueuedTimeUtc?.toISOString(),
    ApplicationProperties: (message: ServiceBusReceivedMessage) => message.applicationProperties ?? {},
  };
  const entries = Object.entries(values).map(([name, read]) =>
    isBatch
      ? [`${name}Array`, { json: JSON.stringify(messages.map((message) => read(message) ?? null)) }]
      : [name, typedData(first === undefined ? undefined : read(first))],
  );
  return Object.fromEntries(entries.filter(([, data]) => data !== undefined));
}

function typedData(value: unknown): object | undefined {
  if (value === undefined) return undefined;
  return typeof value === "string" ? { string: value } : { json: JSON.stringify(value) };
}

/** 16 bytes of the lock token in .NET's order, then the AMQP message. Source: `ServiceBusExtensionConfigProvider` of the host. */
function bindingContent(message: ServiceBusReceivedMessage): Buffer {
  const { messageAnnotations, header, properties, applicationProperties } = message._rawAmqpMessage;
  const token = dotnetGuid(message.lockToken ?? randomUUID());
  const encoded = rhea.message.encode({
    durable: header?.durable,
    delivery_count: header?.deliveryCount,
    ttl: header?.timeToLive,
    message_id: properties?.messageId,
    correlation_id: properties?.correlationId,
    content_type: properties?.contentType,
    content_encoding: properties?.contentEncoding,
    subject: properties?.subject,
    reply_to: properties?.replyTo,
    group_id: properties?.groupId,
    message_annotations: { ...messageAnnotations, "x-opt-lock-token": rhea.types.wrap_uuid(token) },
    application_properties: applicationProperties,
    body: rhea.message.data_section(message.body as Buffer),
  } as never);
  return Buffer.concat([token, encoded]);
}

function dotnetGuid(text: string): Buffer {
  const bytes = Buffer.from(text.replaceAll("-", ""), "hex");
  return Buffer.concat([
    bytes.subarray(0, 4).reverse(),
    bytes.subarray(4, 6).reverse(),
    bytes.subarray(6, 8).reverse(),
    bytes.subarray(8),
  ]);
}

/** For the installed extension, which decodes it and calls the settlement service. */
function modelBindingData(content: readonly Buffer[], isBatch: boolean): object {
  const data = content.map((bytes) => ({
    version: "1.0",
    source: "AzureServiceBusReceivedMessage",
    contentType: "application/octet-stream",
    content: bytes,
  }));
  return isBatch ? { collectionModelBindingData: { modelBindingData: data } } : { modelBindingData: data[0] };
}

/** For the shape of version 0.5, which no registry has yet: the host hands it over as a factory of the extension would. */
function boundData(content: readonly Buffer[], locks: HostLocks): object {
  return { int: boundInput(content, locks) };
}

function boundInput(content: readonly Buffer[], locks: HostLocks): BoundInput {
  return { messages: content.map(decode), actions: actionsOf(locks) };
}

/** As version 0.5 decodes: the body as bytes, the AMQP message beneath. */
function decode(content: Buffer) {
  const message = rhea.message.decode(content.subarray(16)) as unknown as Record<string, never>;
  const token = dotnetGuid(content.subarray(0, 16).toString("hex")).toString("hex");
  const lockToken = token.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
  const { body } = message as { readonly body?: { readonly content?: unknown } };
  return {
    lockToken,
    body: body?.content,
    _rawAmqpMessage: {
      body,
      header: { durable: message.durable, deliveryCount: message.delivery_count, timeToLive: message.ttl },
      properties: {
        messageId: message.message_id,
        correlationId: message.correlation_id,
        contentType: message.content_type,
        contentEncoding: message.content_encoding,
        subject: message.subject,
        replyTo: message.reply_to,
        groupId: message.group_id,
      },
      messageAnnotations: message.message_annotations,
      applicationProperties: message.application_properties,
    },
  } as never;
}

/** The actions of version 0.5, without the gRPC between worker and host. */
function actionsOf({ receiver, locked, settle: settleByToken }: HostLocks): BoundInput["actions"] {
  const settle = (
    { lockToken }: { lockToken: string },
    work: (one: ServiceBusReceivedMessage) => Promise<void>,
  ) => settleByToken(lockToken, work);
  const session = receiver as ServiceBusSessionReceiver;
  return {
    complete: (message: never) => settle(message, (one) => receiver.completeMessage(one)),
    abandon: (message: never, properties?: never) =>
      settle(message, (one) => receiver.abandonMessage(one, properties)),
    defer: (message: never, properties?: never) =>
      settle(message, (one) => receiver.deferMessage(one, properties)),
    deadletter: (
      message: never,
      properties: object,
      deadLetterReason?: string,
      deadLetterErrorDescription?: string,
    ) =>
      settle(message, (one) =>
        receiver.deadLetterMessage(one, {
          ...properties,
          deadLetterReason,
          deadLetterErrorDescription,
        } as never),
      ),
    renewMessageLock: async (message: { lockToken: string }) => {
      await receiver.renewMessageLock(locked(message.lockToken));
    },
    renewSessionLock: async () => {
      const until = await session.renewSessionLock();
      return { seconds: String(Math.floor(until.getTime() / 1000)), nanos: 0 };
    },
    setSessionState: (_id: string, state: Uint8Array) => session.setSessionState(Buffer.from(state)),
  };
}
