import { type DescField, type DescMessage, isFieldSet, type Message } from "@bufbuild/protobuf";
import { FeatureSet_FieldPresence } from "@bufbuild/protobuf/wkt";
import { decodeFailure } from "@waybill/core/serializer";

/** The types of which a message can lack a required field: its own, or one of a message in it. */
const withRequired = new WeakMap<DescMessage, boolean>();

/**
 * Refuses a message without a field that proto2 declares `required`, which the library reads as if it were there. It is checked in the decoded message,
 * because the bytes of a message may be divided. Throws `decodeFailure`. Source: protobuf.dev, Language Guide (proto 2), "Field Labels".
 */
export function requireFields(message: Message, descriptor: DescMessage): void {
  if (!hasRequired(descriptor)) return;
  for (const field of descriptor.fields) {
    if (isRequired(field) && !isFieldSet(message, field))
      throw decodeFailure(
        "malformed",
        `The body lacks the field ${field.number}, which the Protobuf type ${descriptor.typeName} requires.`,
      );
    const { message: inner } = field;
    if (inner !== undefined && hasRequired(inner))
      for (const each of messagesOf(message, field)) requireFields(each, inner);
  }
}

function isRequired({ presence }: DescField): boolean {
  return presence === FeatureSet_FieldPresence.LEGACY_REQUIRED;
}

function hasRequired(descriptor: DescMessage): boolean {
  const known = withRequired.get(descriptor);
  if (known !== undefined) return known;
  const found = reachable(descriptor).some(({ fields }) => fields.some(isRequired));
  withRequired.set(descriptor, found);
  return found;
}

/** A type and those of the messages in it; types can be recursive. */
function reachable(descriptor: DescMessage): readonly DescMessage[] {
  const types = new Set([descriptor]);
  for (const { fields } of types)
    for (const { message } of fields) if (message !== undefined) types.add(message);
  return [...types];
}

/** The messages that a field holds. */
function messagesOf(message: Message, field: DescField): readonly Message[] {
  const members = message as unknown as Readonly<Record<string, unknown>>;
  if (field.oneof !== undefined) {
    const chosen = members[field.oneof.localName] as { readonly case?: string; readonly value?: unknown };
    return chosen.case === field.localName ? [chosen.value as Message] : [];
  }
  const value = members[field.localName];
  if (value === undefined) return [];
  if (field.fieldKind === "list") return value as readonly Message[];
  return field.fieldKind === "map" ? Object.values(value as Record<string, Message>) : [value as Message];
}
