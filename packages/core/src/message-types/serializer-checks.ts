import type { BodyCheck } from "../contracts/body-schema.js";
import type { Serializer, SerializerContext } from "../contracts/serializer.js";
import type { KnownVersion } from "./message-type-registry.js";

/**
 * The check of a value that no serializer decodes, an AMQP value or a missing body: by the message type's schema, else by that of the first
 * serializer that has one. A pipeline has schemas for all its formats or for none.
 */
export function checkWithoutSerializer(
  serializers: readonly Serializer[],
  known: KnownVersion | undefined,
  context: SerializerContext,
): BodyCheck | undefined {
  return known?.guardFor(undefined) ?? firstCheck(serializers, context);
}

/**
 * The check of a body that is, or is to be, a member of an envelope, by the options of the first of these serializers that has a schema for bodies.
 * Undefined if the definition has a schema for that serializer, which takes precedence.
 */
export function checkOfMember(
  serializers: readonly Serializer[],
  known: KnownVersion | undefined,
  context: SerializerContext,
): BodyCheck | undefined {
  const ofBodies = serializers.filter(describesBodies);
  const isDefined = ofBodies.some(({ name }) => known?.version.schemas[name] !== undefined);
  return isDefined ? undefined : firstCheck(ofBodies, context);
}

/** Whether the schemas in a serializer's options are for bodies. Those of a format that requires a schema are for what it encodes: the envelope. */
export function describesBodies({ validation }: Serializer): boolean {
  return validation !== "format";
}

function firstCheck(serializers: readonly Serializer[], context: SerializerContext): BodyCheck | undefined {
  for (const serializer of serializers) {
    const check = serializer.checkFor?.(context);
    if (check !== undefined) return check;
  }
  return undefined;
}
