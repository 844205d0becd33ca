import { type Message, type MessageType, type Pipeline, WaybillError } from "@waybill/core";
import { pipelineOver } from "../pipeline-over.js";
import { ContentTypePlan } from "./content-type-plan.js";
import { claims } from "./media-type-claims.js";
import type { PlannedTarget, WritePlan } from "./write-plan.js";

/**
 * A pipeline that writes message types by their write plans, untyped messages by the first content type plan that covers them, and everything
 * else as before. `writeAs` of a call overrides a plan; a plan overrides the `contentType` of a message. Throws `configuration-invalid` when a
 * plan names a message type or serializer that the pipeline does not have, when a serializer cannot write the type at all, for example because
 * it has no schema for it, or when two plans are for one type.
 */
export function withWritePlans<Types extends MessageType>(
  pipeline: Pipeline<Types>,
  plans: readonly (WritePlan | ContentTypePlan)[],
): Pipeline<Types> {
  const byName = new Map<string, WritePlan>();
  const untyped: ContentTypePlan[] = [];
  for (const plan of plans) {
    if (plan instanceof ContentTypePlan) {
      checkContentTypes(pipeline, plan);
      untyped.push(plan);
      continue;
    }
    checkPlan(pipeline, plan);
    for (const name of [plan.messageType.name, ...plan.messageType.aliases]) {
      if (byName.has(name)) throw invalid(plan.messageType.name, "there are two plans for it");
      byName.set(name, plan);
    }
  }
  const typeOf = typeReader(pipeline);
  return pipelineOver(pipeline, {
    serialize(message, options) {
      if (options?.writeAs !== undefined) return pipeline.serialize(message, options);
      const type = typeOf(message);
      if (type === undefined) return pipeline.serialize(asPlanned(message, untyped), options);
      const plan = byName.get(type);
      return pipeline.serialize(
        message,
        plan === undefined ? options : { ...options, writeAs: plan.choose(message) },
      );
    },
  });
}

/** An untyped message with the content type of the first plan that covers it. A message without a body has no format. */
function asPlanned(message: Message, plans: readonly ContentTypePlan[]): Message {
  if (message.body === undefined) return message;
  const plan = plans.find((each) => each.covers(message));
  return plan === undefined ? message : { ...message, contentType: plan.choose(message).contentType };
}

/** Reads the message type's name of a message to send: its subject, or what the resolver finds in its properties. */
function typeReader({
  messageTypes,
  messageTypeResolver,
}: Pipeline): (message: Message) => string | undefined {
  const names = new Set(messageTypes.flatMap(({ name, aliases }) => [name, ...aliases]));
  const isKnown = (name: string) => names.has(name);
  return (message) => {
    if (message.subject !== undefined && isKnown(message.subject)) return message.subject;
    try {
      const encoded = { ...message, body: new Uint8Array() };
      const name = messageTypeResolver.identify(encoded, isKnown)?.messageType;
      return name !== undefined && isKnown(name) ? name : undefined;
    } catch {
      return undefined; // The pipeline reports what is wrong with the message.
    }
  };
}

function checkPlan(pipeline: Pipeline, plan: WritePlan): void {
  const { name } = plan.messageType;
  if (!pipeline.messageTypes.includes(plan.messageType)) {
    throw invalid(name, "the pipeline has no such message type");
  }
  for (const target of [plan.from, plan.to]) checkTarget(pipeline, plan.messageType, target);
}

/** Asks the serializer of a target whether it can write it, so that not the first send finds out. */
function checkTarget(
  { serializers, messageTypeResolver }: Pipeline,
  { name, versions }: MessageType,
  target: PlannedTarget,
): void {
  const serializer = serializers.find((each) => each.name === target.serializer);
  if (serializer === undefined) {
    const names = serializers.map((each) => each.name).join(", ");
    throw invalid(name, `the pipeline has no serializer "${target.serializer}", only ${names}`);
  }
  // A schema describes the body, not the envelope around it.
  const isWrapped = messageTypeResolver.wrap !== undefined;
  const known = versions.find(({ version }) => version === target.version);
  const reason = serializer.cannotWrite?.({
    messageType: name,
    messageVersion: target.version,
    schema: isWrapped ? undefined : known?.schemas[serializer.name],
  });
  if (reason === undefined) return;
  throw invalid(
    name,
    `version ${target.version} cannot be written as ${serializer.name}: ${reason}; add it to the definition of the message type, as ` +
      `schemas: { ${target.version}: { ${propertyName(serializer.name)}: … } }, or to the options of the serializer`,
  );
}

function propertyName(name: string): string {
  return /^[a-z]\w*$/i.test(name) ? name : JSON.stringify(name);
}

function checkContentTypes({ serializers }: Pipeline, plan: ContentTypePlan): void {
  for (const { contentType } of [plan.from, plan.to]) {
    const serializer = serializers.find(({ mediaTypes }) => claims(mediaTypes, contentType));
    if (serializer === undefined) {
      const names = serializers.map(({ name }) => name).join(", ");
      throw invalid(plan.name, `no serializer of the pipeline writes ${contentType}; it has ${names}`);
    }
    const reason = serializer.cannotWrite?.({ messageType: undefined });
    if (reason === undefined) continue;
    throw invalid(
      plan.name,
      `${contentType} cannot be written by ${serializer.name}: ${reason}; add it to the options of the serializer`,
    );
  }
}

function invalid(name: string, text: string): WaybillError {
  return new WaybillError("configuration-invalid", `The write plan of "${name}" cannot work: ${text}.`);
}
