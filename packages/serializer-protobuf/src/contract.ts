import {
  createFileRegistry,
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

function describeType({ typeName, file }: DescMessage): DescribedType {
  return {
    message: typeName,
    files: withImports(file).map(({ proto }) => toJson(FileDescriptorProtoSchema, proto)),
  };
}

/** A file after everything that it imports. */
function withImports(file: DescFile, seen = new Set<DescFile>()): readonly DescFile[] {
  if (!seen.has(file)) {
    for (const each of file.dependencies) withImports(each, seen);
    seen.add(file);
  }
  return [...seen];
}
