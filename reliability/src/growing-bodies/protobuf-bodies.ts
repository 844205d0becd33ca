import { createRegistry } from "@bufbuild/protobuf";
import {
  BytesValueSchema,
  FieldMaskSchema,
  FileDescriptorSetSchema,
  ListValueSchema,
  SourceCodeInfo_LocationSchema,
  StringValueSchema,
  StructSchema,
  ValueSchema,
} from "@bufbuild/protobuf/wkt";
import { protobuf } from "@waybill/serializer-protobuf";
import { type GrowingBodies, type GrowingBody, label, nested, numbered, repeated } from "./growing-body.js";

const registry = createRegistry(
  BytesValueSchema,
  FieldMaskSchema,
  FileDescriptorSetSchema,
  ListValueSchema,
  SourceCodeInfo_LocationSchema,
  StringValueSchema,
  StructSchema,
  ValueSchema,
);

function length(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 0x7f; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 0x80);
  return [...bytes, rest];
}

/** Source: protobuf.dev, Encoding. */
export const protobufBodies: GrowingBodies = {
  "packed numbers": typed("SourceCodeInfo.Location", (bytes) =>
    Buffer.concat([Buffer.from([0x0a, ...length(bytes)]), Buffer.alloc(bytes, 1)]),
  ),
  "numbers that are not packed": typed("SourceCodeInfo.Location", repeated([], [0x08, 1], [])),
  "packed numbers in pieces": typed("SourceCodeInfo.Location", repeated([], [0x0a, 1, 1], [])),
  strings: typed("FieldMask", repeated([], [0x0a, 1, 0x61], [])),
  "a string again and again": typed("StringValue", repeated([], [0x0a, 1, 0x61], [])),
  "bytes again and again": typed("BytesValue", repeated([], [0x0a, 1, 1], [])),
  "keys of a map": typed(
    "Struct",
    numbered([], (index) => [0x0a, 12, 0x0a, 6, ...Buffer.from(label(index)), 0x12, 2, 0x08, 0], []),
  ),
  "one key of a map": typed("Struct", repeated([], [0x0a, 7, 0x0a, 1, 0x61, 0x12, 2, 0x08, 0], [])),
  "messages in a list": typed("ListValue", repeated([], [0x0a, 2, 0x08, 0], [])),
  "text in messages in messages": typed(
    "ListValue",
    nested(
      (bytes) => {
        const string = Buffer.concat([Buffer.from([0x1a, ...length(bytes)]), Buffer.alloc(bytes, "x")]);
        return Buffer.concat([Buffer.from([0x0a, ...length(string.length)]), string]);
      },
      // A list in a value in a list.
      ({ length: size }) => {
        const list = [0x32, ...length(size)];
        return [[0x0a, ...length(size + list.length), ...list], []];
      },
    ),
  ),
  "branches of a oneof": typed("Value", repeated([], [0x08, 0, 0x1a, 0], [])),
  "pieces of a message": typed("Value", repeated([], [0x32, 4, 0x0a, 2, 0x08, 0], [])),
  "pieces of a message with pieces": typed("Value", repeated([], [0x32, 6, 0x0a, 4, 0x32, 2, 0x0a, 0], [])),
  "unknown numbers": typed("StringValue", repeated([], [0x10, 1], [])),
  "unknown groups": typed("StringValue", repeated([], [0x1b, 0x1c], [])),
  "unknown fields of names of their own": typed(
    "StringValue",
    numbered([], (index) => [...length(8 * (index + 16)), 1], []),
  ),
  "groups in groups": typed("StringValue", repeated([], [0x1b], [])),
  "messages with lists that require fields": typed(
    "FileDescriptorSet",
    // FileDescriptorProto.options.uninterpreted_option.name, whose type requires two fields.
    repeated(
      [],
      [0x0a, 13, 0x42, 11, 0xba, 0x3e, 8, 0x12, 5, 0x0a, 1, 0x61, 0x10, 1, 0x08, 0].slice(0, 15),
      [],
    ),
  ),
};

function typed(name: string, make: GrowingBody["make"]): GrowingBody {
  return {
    contentType: `application/protobuf; proto=google.protobuf.${name}`,
    serializer: () => protobuf({ registry }),
    make,
  };
}
