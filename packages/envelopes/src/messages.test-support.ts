import {
  bodyType,
  createPipeline,
  type DeserializationOutcome,
  defineMessage,
  type EncodedMessage,
  type Message,
  type MessageTypeResolver,
  type Serializer,
} from "@waybill/core";
import { json } from "@waybill/serializer-json";

/** Two types: a message of another type must not be read as one of them. */
const orderPlaced = defineMessage("order-placed", {
  version: 1,
  schemas: { 1: { body: bodyType<{ id: string }>() } },
});
const orderPaid = defineMessage("order-paid", {
  version: 1,
  schemas: { 1: { body: bodyType<{ id: string }>() } },
});

export const order = { id: "A-1042" };

/** A pipeline with both types and an envelope. */
function pipelineOf(
  messageTypeResolver: MessageTypeResolver,
  additionalDeserializers: readonly Serializer[] = [],
) {
  return createPipeline({
    serializer: json(),
    additionalDeserializers,
    messageTypes: [orderPlaced, orderPaid],
    messageTypeResolver,
  });
}

/** A message on the wire, its body as JSON unless it is bytes. */
export function sent(body: unknown, properties: Omit<EncodedMessage, "body"> = {}): EncodedMessage {
  return {
    ...properties,
    body: body instanceof Uint8Array ? body : new TextEncoder().encode(JSON.stringify(body)),
  };
}

export async function read(
  resolver: MessageTypeResolver,
  message: EncodedMessage,
  more: readonly Serializer[] = [],
): Promise<DeserializationOutcome> {
  return await pipelineOf(resolver, more).deserialize(message);
}

export async function write(
  resolver: MessageTypeResolver,
  message: Message,
  more: readonly Serializer[] = [],
): Promise<EncodedMessage> {
  return await pipelineOf(resolver, more).serialize(message);
}

/** The parsed JSON body. */
export function content(message: EncodedMessage): Record<string, unknown> {
  return JSON.parse(new TextDecoder().decode(message.body as Uint8Array)) as Record<string, unknown>;
}

export const asPlaced = { status: "decoded", body: order, report: { messageType: "order-placed" } };
export const unknownType = { status: "undeserializable", reason: "UnknownMessageType" };

/** What a serializer gets that writes a body by itself. */
export const writing = {
  messageType: undefined,
  contentType: undefined,
  mediaType: undefined,
  applicationProperties: {},
  abortSignal: undefined,
  maxDepth: 128,
};
