import type { Serializer } from "@waybill/core";
import {
  type Awaitable,
  decodeFailure,
  encodeFailure,
  parseMediaType,
  quoted,
} from "@waybill/core/serializer";
import type { Framed } from "../framing/framing.js";
import { withValue } from "../sources/cached-schemas.js";
import { protoMessages, readIndexes, writeIndexes } from "./proto-messages.js";
import { type Payload, registeredSerializer } from "./registered-serializer.js";
import { type RegistryOptions, resolveRegistryOptions } from "./registry-options.js";

/** How Protobuf bodies are read and written under a registry's schemas. */
export interface RegistryProtobufOptions extends RegistryOptions {
  /** The options of `protobuf()`, with the registry of protobuf-es that has the types to read and write. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** The `.proto` sources with which types are written, by the full name of the type; types that are only read need none. Default: none. */
  readonly sources?: Readonly<Record<string, string>> | undefined;
}

/** `protobuf` of `@waybill/serializer-protobuf`. */
export type ProtobufFactory<Options> = (options: Options) => Serializer;

/**
 * Protobuf in Confluent's framing: the schema's id and the message indexes identify the type, which must be in the registry of protobuf-es.
 * `protobuf` is the function of `@waybill/serializer-protobuf`. Throws `TypeError` for invalid options.
 */
export function registryProtobuf<Options>(
  protobuf: ProtobufFactory<Options>,
  options: RegistryProtobufOptions,
): Serializer {
  const resolved = resolveRegistryOptions("registryProtobuf", options, { settings: true, sources: true });
  const plain = protobuf({ ...options.settings } as unknown as Options);
  const sources = new Map(
    Object.entries(options.sources ?? {}).map(([type, source]) => [type, placeOf(type, source)]),
  );
  return registeredSerializer(resolved, {
    format: "protobuf",
    plain,
    mediaTypes: { azure: undefined, framed: "application/protobuf" },
    compile({ definition }) {
      const types = protoMessages(definition);
      return (payload, context, framed) => {
        const { type, start } = typeOf(payload, framed, types);
        const mediaType = parseMediaType(`application/protobuf; proto=${type}`);
        return plain.deserialize(payload.subarray(start), { ...context, mediaType, isDeclared: true });
      };
    },
    cannotWrite: (target) =>
      sources.size === 0 ? "The option sources has no .proto source" : plain.cannotWrite?.(target),
    toWrite(value, context) {
      const type = (value as { readonly $typeName?: unknown } | null)?.$typeName ?? context.messageType;
      const place = sources.get(String(type));
      if (place === undefined)
        throw encodeFailure(`The option sources has no .proto source for the type ${quoted(String(type))}.`);
      return { definition: place.source, subject: String(type), format: "protobuf" };
    },
    write(value, context, { subject }): Awaitable<Payload> {
      const prefix = sources.get(subject)?.prefix;
      return withValue(plain.serialize(value, context), ({ bytes }) => ({ bytes, prefix }));
    },
  });
}

function placeOf(type: string, source: string): { readonly source: string; readonly prefix: Uint8Array } {
  const found = [...protoMessages(source)].find(([, name]) => name === type);
  if (found === undefined)
    throw new TypeError(
      `schema registry: the source of ${JSON.stringify(type)} does not define that message.`,
    );
  return { source, prefix: writeIndexes(found[0]) };
}

function typeOf(
  payload: Uint8Array,
  { framing, rest }: Framed,
  types: ReadonlyMap<string, string>,
): { readonly type: string; readonly start: number } {
  const isInHeader = rest !== undefined && rest.length > 0;
  const found =
    framing === "apicurio" || framing === "apicurio-header"
      ? undefined
      : readIndexes(isInHeader ? rest : payload);
  if (found === undefined)
    throw decodeFailure("malformed", "The Protobuf body has no message indexes after its schema id.");
  const type = types.get(found.indexes);
  if (type === undefined)
    throw decodeFailure(
      "schema-unknown",
      `The Protobuf schema has no message with the indexes ${found.indexes}.`,
    );
  return { type, start: isInHeader ? 0 : found.end };
}
