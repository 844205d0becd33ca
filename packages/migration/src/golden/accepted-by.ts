import type { EncodedMessage, MessageType } from "@waybill/core";
import { narrowPipeline, type WidePipeline } from "./narrow-pipeline.js";

/** The serializers of a chain that would each accept a body without its content type. More than one is an ambiguity. */
export async function acceptedBy(
  pipeline: WidePipeline,
  message: EncodedMessage,
  messageType: MessageType | undefined,
): Promise<string[]> {
  const accepting: string[] = [];
  for (const serializer of pipeline.serializers) {
    const alone = narrowPipeline(pipeline, [serializer], messageType);
    const { report } = await alone.deserialize({ ...message, contentType: undefined });
    if (report.serializer !== undefined) accepting.push(serializer.name);
  }
  return accepting;
}
