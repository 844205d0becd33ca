import type { MessageType, Pipeline } from "@waybill/core";

/** A pipeline that writes and reads like another, with some methods replaced. */
export function pipelineOver<Types extends MessageType>(
  pipeline: Pipeline<Types>,
  replaced: Partial<Pick<Pipeline<Types>, "serialize" | "deserialize">>,
): Pipeline<Types> {
  const { serializers, messageTypes, messageTypeResolver } = pipeline;
  return Object.freeze({
    serializers,
    messageTypes,
    messageTypeResolver,
    serialize: (message, options) => pipeline.serialize(message, options),
    deserialize: (message, options) => pipeline.deserialize(message, options),
    ...replaced,
  } satisfies Pipeline<Types>);
}
