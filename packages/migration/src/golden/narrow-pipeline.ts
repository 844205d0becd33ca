import {
  createPipeline,
  type DeserializationReport,
  type MessageType,
  type Pipeline,
  type Serializer,
} from "@waybill/core";
import type { DeserializeCallOptions, MessageVersion } from "@waybill/core/pipeline";

/** The part of a pipeline that others are made from. */
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
    // One serializer alone would assume itself, and the question is what a body shows.
    contentTypePolicies: { missing: "try-all" },
    // Whether the serializers' own schemas keep enough out was for the whole pipeline to say.
    schemas: () => undefined,
    ...(messageType === undefined ? {} : { messageTypes: [messageType], messageTypeResolver }),
  });
}

/** Reads a body again as it was read: by the same serializer, on the same grounds. */
export function asRead({ serializer, declared, assumed }: DeserializationReport): DeserializeCallOptions {
  if (serializer === undefined) return {};
  return { readAs: { serializer, isDeclared: serializer === declared || serializer === assumed } };
}

/** A message type as it was when a version was the current one: the versions that lead there, and no newer. Undefined without that version. */
export function typeAsOf(type: MessageType, current: number): MessageType | undefined {
  const versions = type.versions.flatMap((version) => shortened(version, current) ?? []);
  if (versions.at(-1)?.version !== current) return undefined;
  const unversioned = versions.some(({ version }) => version === type.unversioned)
    ? type.unversioned
    : current;
  return { ...type, version: current, unversioned, versions };
}

/** The way of a version cut off where it reaches another; undefined when it does not come past that one. */
function shortened(version: MessageVersion, current: number): MessageVersion | undefined {
  const end = version.version === current ? 0 : version.upcasts.findIndex(({ to }) => to === current) + 1;
  if (end === 0 && version.version !== current) return undefined;
  const upcasts = version.upcasts.slice(0, end);
  const upcastPath = end === 0 ? [] : [version.version, ...upcasts.map(({ to }) => to)];
  return { ...version, upcasts, upcastPath, downcasts: version.version === current ? [] : undefined };
}
