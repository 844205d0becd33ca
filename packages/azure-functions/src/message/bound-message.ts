/**
 * What the SDK binding hands over, by its shape: `@azure/functions-extensions-servicebus` is a preview. Version 0.2 gives a single message
 * without an array.
 */
export interface BoundInput {
  readonly messages: BoundMessage | readonly BoundMessage[];
  readonly actions: Readonly<Record<string, unknown>>;
}

/** A message of the SDK binding. Its own properties round numbers, and texts of version 0.2 replace bytes; the AMQP message beneath has all. */
export interface BoundMessage {
  readonly lockToken?: string;
  readonly body?: unknown;
  readonly _rawAmqpMessage: {
    /** The section as rhea decodes it. */
    readonly body?: unknown;
    readonly header?: {
      readonly durable?: boolean;
      readonly deliveryCount?: number;
      readonly timeToLive?: number;
    };
    readonly properties?: {
      readonly messageId?: unknown;
      readonly correlationId?: unknown;
      readonly contentType?: string;
      readonly contentEncoding?: string;
      readonly subject?: string;
      readonly to?: string;
      readonly replyTo?: string;
      readonly groupId?: string;
      readonly replyToGroupId?: string;
    };
    readonly messageAnnotations?: Readonly<Record<string, unknown>>;
    readonly applicationProperties?: Record<string, unknown>;
  };
}

/** Whether the input of a function comes from the SDK binding. */
export function isBoundInput(input: unknown): input is BoundInput {
  if (typeof input !== "object" || input === null) return false;
  const { messages, actions } = input as Partial<BoundInput>;
  return isObject(messages) && isObject(actions) && listOf(messages as BoundInput["messages"]).every(isBound);
}

/** The messages of the SDK binding, also if it gave a single one. */
export function listOf(messages: BoundInput["messages"]): readonly BoundMessage[] {
  return Array.isArray(messages) ? messages : [messages as BoundMessage];
}

function isBound(message: unknown): message is BoundMessage {
  return isObject(message) && isObject((message as Partial<BoundMessage>)._rawAmqpMessage);
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
