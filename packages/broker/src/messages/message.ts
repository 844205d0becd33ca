/** A message or correlation id of any type that AMQP allows: text, unsigned integer or binary. */
export type MessageId = string | number | bigint | Uint8Array;

/**
 * A value of an application property. Front ends with further types use `wire`, which keeps them unchanged. Objects are copied as by
 * `v8.serialize` and may nest at most 100 deep.
 */
export type ApplicationPropertyValue =
  | string
  | number
  | bigint
  | boolean
  | Date
  | Uint8Array
  | null
  | undefined
  | object;

/** A message's application properties by name. */
export type ApplicationProperties = Readonly<Record<string, ApplicationPropertyValue>>;

/** A body in its AMQP section. The engine never interprets it. Values are copied as by `v8.serialize` and may nest at most 100 deep. */
export type MessageBody =
  | { readonly section: "data"; readonly bytes: Uint8Array }
  | { readonly section: "value"; readonly value: unknown }
  | { readonly section: "sequence"; readonly value: readonly unknown[] };

/**
 * `Properties` with every name present; what may be absent is written as undefined. Code that copies or maps messages says that it makes
 * this type: where a new property is missing, it does not compile.
 */
export type EveryProperty<Properties> = { [Name in keyof Required<Properties>]: Properties[Name] };

/** Broker properties that a sender may set. */
export interface SendableProperties {
  /** The broker generates one for messages without. */
  readonly messageId?: MessageId | undefined;
  readonly correlationId?: MessageId | undefined;
  readonly contentType?: string | undefined;
  /** AMQP's property: the compression of the body, or any other text. */
  readonly contentEncoding?: string | undefined;
  readonly subject?: string | undefined;
  readonly to?: string | undefined;
  readonly replyTo?: string | undefined;
  readonly replyToSessionId?: string | undefined;
  readonly sessionId?: string | undefined;
  readonly partitionKey?: string | undefined;
  readonly viaPartitionKey?: string | undefined;
  /** Time to live in ms from arrival at the broker; `undefined` or `Infinity` is unlimited. */
  readonly timeToLiveMs?: number | undefined;
  readonly scheduledEnqueueTime?: Date | undefined;
  readonly forcePersistence?: boolean | undefined;
}

/** A message to send. The broker copies what it keeps, so the caller may reuse all objects and buffers. */
export interface BrokerMessage extends SendableProperties {
  /** May be omitted only if `wire` is given and the broker has a wire decoder. */
  readonly body?: MessageBody | undefined;
  /**
   * The front end's own encoding of the message, stored unchanged and returned as `ReceivedMessage.wire`. A data body that is a view on it
   * is not stored twice.
   */
  readonly wire?: Uint8Array | undefined;
  /** With `wire`, a function: it is called only if a rule or a change must read the properties. */
  readonly applicationProperties?: ApplicationProperties | (() => ApplicationProperties) | undefined;
}

/** Decodes what a front end put into `wire`, for receivers that do not use that front end. */
export type WireDecoder = (wire: Uint8Array) => {
  readonly applicationProperties: ApplicationProperties;
  readonly body: MessageBody;
};

/** The state of a message. A locked message is still `active` or `deferred`. */
export type MessageState = "active" | "deferred" | "scheduled";
