import {
  createFileRegistry,
  type DescEnum,
  type DescFile,
  type DescMessage,
  fromJson,
  type JsonValue,
  toJson,
} from "@bufbuild/protobuf";
import { FileDescriptorProtoSchema, FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import type { Serializer } from "@waybill/core";
import type {
  DescribedSchema,
  SerializerContext,
  SerializerContract,
  WriteContext,
} from "@waybill/core/serializer";
import type { FoundType } from "./message-descriptor.js";
import type { ProtobufOptions } from "./protobuf-serializer.js";

/** A Protobuf type in a contract file: its full name, and its files in the JSON form of `google.protobuf.FileDescriptorProto`, imports first. */
interface DescribedType {
  readonly message: string;
  readonly files: readonly JsonValue[];
}

/** What the description is made of. */
interface Described {
  readonly find: (context: SerializerContext, value: unknown) => FoundType;
  readonly unknownFields: "keep" | "refuse";
  /** Whether a function of the options finds the types, so that the name in the content type does not matter. */
  readonly findsByFunction: boolean;
}

/** How the serializer describes itself; `make` is {@link protobuf}, which imports this file. */
export function protobufContract(
  { find, unknownFields, findsByFunction }: Described,
  make: (options: ProtobufOptions) => Serializer,
): SerializerContract {
  return {
    options: { unknownFields, typeOf: findsByFunction },
    schemaOf: (target) => describe(find, target),
    rebuild({ options, schema }) {
      const { message, files } = (schema ?? { message: "", files: [] }) as DescribedType;
      const registry = createFileRegistry(fromJson(FileDescriptorSetSchema, { file: [...files] }));
      return make({
        registry,
        unknownFields: options.unknownFields as "keep" | "refuse",
        ...(options.typeOf === true ? { typeOf: () => message } : {}),
      });
    },
  };
}

function describe(
  find: Described["find"],
  { messageType, messageVersion }: WriteContext,
): DescribedSchema | undefined {
  const { descriptor } = find({ ...noMessage, messageType, messageVersion }, undefined);
  return descriptor && { language: "protobuf", schema: describeType(descriptor) };
}

const noMessage = Object.freeze({
  contentType: undefined,
  mediaType: undefined,
  applicationProperties: Object.freeze({}),
  abortSignal: undefined,
});

/** The files without what the type does not need: other types, services and extensions. */
function describeType(descriptor: DescMessage): DescribedType {
  const needed = neededTypes(descriptor);
  const files = withImports(descriptor.file).filter(({ messages, enums }) =>
    [...messages, ...enums].some((each) => needed.has(each)),
  );
  const kept = new Set(files.map(({ proto }) => proto.name));
  return {
    message: descriptor.typeName,
    files: files.map(({ proto, messages, enums }) =>
      toJson(FileDescriptorProtoSchema, {
        ...proto,
        dependency: proto.dependency.filter((name) => kept.has(name)),
        publicDependency: [],
        weakDependency: [],
        service: [],
        extension: [],
        messageType: messages.filter((each) => needed.has(each)).map((each) => each.proto),
        enumType: enums.filter((each) => needed.has(each)).map((each) => each.proto),
      }),
    ),
  };
}

/** The types that a message refers to, and those in which they are declared. */
function neededTypes(
  type: DescMessage | DescEnum,
  found = new Set<DescMessage | DescEnum>(),
): ReadonlySet<DescMessage | DescEnum> {
  if (found.has(type)) return found;
  found.add(type);
  if (type.parent !== undefined) neededTypes(type.parent, found);
  if (type.kind === "enum") return found;
  for (const nested of [...type.nestedMessages, ...type.nestedEnums]) neededTypes(nested, found);
  for (const { message, enum: values } of type.fields)
    for (const each of [message, values]) if (each !== undefined) neededTypes(each, found);
  return found;
}

/** A file after everything that it imports. */
function withImports(file: DescFile, seen = new Set<DescFile>()): readonly DescFile[] {
  if (!seen.has(file)) {
    for (const each of file.dependencies) withImports(each, seen);
    seen.add(file);
  }
  return [...seen];
}
