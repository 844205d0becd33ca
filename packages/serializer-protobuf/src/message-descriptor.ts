import type { DescMessage, Registry } from "@bufbuild/protobuf";
import type { SerializerContext } from "@waybill/core/serializer";

/** Parameters of a content type that name the Protobuf type; media types ignore letter case. */
const parameters = Object.freeze(["proto", "messagetype", "message-type"]);

/** A message's type: its descriptor, or a name that is not in the registry. */
export type FoundType =
  | { readonly descriptor: DescMessage }
  | { readonly descriptor: undefined; readonly name: string | undefined };

/**
 * Finds the type of a message: by the function of the options, by the content type, by the `$typeName` of a protobuf-es value, by the message
 * type.
 */
export function messageDescriptor(
  registry: Registry,
  typeOf: ((context: SerializerContext) => string | undefined) | undefined,
): (context: SerializerContext, value: unknown) => FoundType {
  return (context, value) => {
    const name = typeOf?.(context) ?? declaredName(context) ?? ownName(value) ?? context.messageType;
    const descriptor = name === undefined ? undefined : registry.getMessage(name.replace(/^\./, ""));
    return descriptor === undefined ? { descriptor, name } : { descriptor };
  };
}

function declaredName({ mediaType }: SerializerContext): string | undefined {
  for (const parameter of parameters) {
    const name = mediaType?.parameters.get(parameter);
    if (name !== undefined) return name;
  }
  return undefined;
}

function ownName(value: unknown): string | undefined {
  const name =
    typeof value === "object" && value !== null ? (value as { $typeName?: unknown }).$typeName : undefined;
  return typeof name === "string" ? name : undefined;
}
