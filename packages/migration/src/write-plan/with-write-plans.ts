import { type MessageType, type Pipeline, WaybillError } from "@waybill/core";
import type { WritePlan } from "./write-plan.js";

/**
 * A pipeline that writes each message type as its plan has it, and everything else as before. What a call says in `writeAs` outranks a plan;
 * a plan outranks a message's own `contentType`. Throws `configuration-invalid` when a plan is not for a message type and serializers of the
 * pipeline, or when two plans are for one type.
 */
export function withWritePlans<Types extends MessageType>(
  pipeline: Pipeline<Types>,
  plans: readonly WritePlan[],
): Pipeline<Types> {
  const bySubject = new Map<string, WritePlan>();
  for (const plan of plans) {
    checkPlan(pipeline, plan);
    for (const name of [plan.messageType.name, ...plan.messageType.aliases]) {
      if (bySubject.has(name)) throw invalid(plan, "there are two plans for it");
      bySubject.set(name, plan);
    }
  }
  return Object.freeze({
    serializers: pipeline.serializers,
    messageTypes: pipeline.messageTypes,
    messageTypeResolver: pipeline.messageTypeResolver,
    serialize(message, options) {
      const plan = message.subject === undefined ? undefined : bySubject.get(message.subject);
      if (plan === undefined || options?.writeAs !== undefined) return pipeline.serialize(message, options);
      return pipeline.serialize(message, { ...options, writeAs: plan.choose(message) });
    },
    deserialize: (message, options) => pipeline.deserialize(message, options),
  } satisfies Pipeline<Types>);
}

function checkPlan(pipeline: Pipeline, plan: WritePlan): void {
  if (!pipeline.messageTypes.includes(plan.messageType)) {
    throw invalid(plan, "the pipeline has no such message type");
  }
  const names = pipeline.serializers.map(({ name }) => name);
  for (const { serializer } of [plan.from, plan.to]) {
    if (!names.includes(serializer)) {
      throw invalid(plan, `the pipeline has no serializer "${serializer}", only ${names.join(", ")}`);
    }
  }
}

function invalid({ messageType }: WritePlan, text: string): WaybillError {
  return new WaybillError(
    "configuration-invalid",
    `The write plan of "${messageType.name}" cannot work: ${text}.`,
  );
}
