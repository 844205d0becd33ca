import {
  createPipeline,
  type DeserializationReport,
  type MessageType,
  type Pipeline,
  type Serializer,
} from "@waybill/core";
import type { DeserializeCallOptions, MessageVersion } from "@waybill/core/pipeline";

/** The parts of a pipeline that narrower ones are made from. */
export type WidePipeline = Pick<Pipeline, "serializers" | "messageTypes" | "messageTypeResolver">;

/** A pipeline of some of the serializers and one message type, or none. */
export function narrowPipeline(
  pipeline: WidePipeline,
  serializers: readonly Serializer[],
  messageType: MessageType | undefined,
): Pipeline {
  const [serializer, ...additionalDeserializers] = serializers;
  if (serializer === undefined) throw new TypeError("A pipeline needs at least one serializer.");
  const { messageTypeResolver } = pipeline;
  return createPipeline({
    serializer,
    additionalDeserializers,
    // Without this, a single serializer would be assumed; the question is what the bytes alone show.
    contentTypePolicies: { missing: "try-all" },
    // The whole pipeline has already checked whether the serializers' schemas are strict enough.
    schemas: () => undefined,
    ...(messageType === undefined ? {} : { messageTypes: [messageType], messageTypeResolver }),
  });
}

/** Options to read a body again by the same serializer, declared or recognised as before. */
export function asRead({ serializer, declared, assumed }: DeserializationReport): DeserializeCallOptions {
  if (serializer === undefined) return {};
  return { readAs: { serializer, isDeclared: serializer === declared || serializer === assumed } };
}

/** A message type as it was when `current` was its current version: without newer versions. Undefined if it lacks that version. */
export function typeAsOf(type: MessageType, current: number): MessageType | undefined {
  const versions = type.versions.flatMap((version) => shortened(version, current) ?? []);
  if (versions.at(-1)?.version !== current) return undefined;
  const unversioned = versions.some(({ version }) => version === type.unversioned)
    ? type.unversioned
    : undefined;
  return { ...type, version: current, unversioned, versions };
}

/** A version with its upcast path cut off at `current`; undefined when the path does not pass that version. */
function shortened(version: MessageVersion, current: number): MessageVersion | undefined {
  const end = version.version === current ? 0 : version.upcasts.findIndex(({ to }) => to === current) + 1;
  if (end === 0 && version.version !== current) return undefined;
  const upcasts = version.upcasts.slice(0, end);
  const upcastPath = end === 0 ? [] : [version.version, ...upcasts.map(({ to }) => to)];
  return { ...version, upcasts, upcastPath, downcasts: version.version === current ? [] : undefined };
}
