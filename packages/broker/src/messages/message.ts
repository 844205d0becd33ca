/** A message or correlation id in the types that AMQP allows: text, unsigned integer or binary. */
export type MessageId = string | number | bigint | Uint8Array;

/**
 * A simple value of an application property. Front ends with further types send `wire`, which keeps them verbatim. Objects are copied as by
 * `v8.serialize` and nest at most 100 deep.
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

/** A body in its AMQP section. The engine never looks inside. Values are copied as by `v8.serialize` and nest at most 100 deep. */
export type MessageBody =
  | { readonly section: "data"; readonly bytes: Uint8Array }
  | { readonly section: "value"; readonly value: unknown }
  | { readonly section: "sequence"; readonly value: readonly unknown[] };

/** The broker properties that a sender may set. */
export interface SendableProperties {
  /** The broker makes one for a message that comes without. */
  readonly messageId?: MessageId | undefined;
  readonly correlationId?: MessageId | undefined;
  readonly contentType?: string | undefined;
  readonly subject?: string | undefined;
  readonly to?: string | undefined;
  readonly replyTo?: string | undefined;
  readonly replyToSessionId?: string | undefined;
  readonly sessionId?: string | undefined;
  readonly partitionKey?: string | undefined;
  readonly viaPartitionKey?: string | undefined;
  /** Time to live in ms from the moment the broker takes the message; `undefined` or `Infinity` is unlimited. */
  readonly timeToLiveMs?: number | undefined;
  readonly scheduledEnqueueTime?: Date | undefined;
  readonly forcePersistence?: boolean | undefined;
}

/** A message on its way in. The broker copies what it keeps, so the caller may reuse every object and buffer. */
export interface BrokerMessage extends SendableProperties {
  /** May be absent only when `wire` is given and the broker has a wire decoder. */
  readonly body?: MessageBody | undefined;
  /**
   * The front end's own encoding of the message, kept verbatim and handed out as `ReceivedMessage.wire`.
   * A data body that is a view on it is not stored a second time.
   */
  readonly wire?: Uint8Array | undefined;
  /** With `wire`, a function: it is called only if a rule or a change has to read the properties. */
  readonly applicationProperties?: ApplicationProperties | (() => ApplicationProperties) | undefined;
}

/** Reads back what a front end put into `wire`, for readers that did not come through that front end. */
export type WireDecoder = (wire: Uint8Array) => {
  readonly applicationProperties: ApplicationProperties;
  readonly body: MessageBody;
};

/** Where a message stands. A locked message is still `active` or `deferred`. */
export type MessageState = "active" | "deferred" | "scheduled";
