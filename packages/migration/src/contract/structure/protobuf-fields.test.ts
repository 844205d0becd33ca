import { describe, expect, it } from "vitest";
import { protobufObstacles } from "./protobuf-fields.js";
import type { ProtobufField, ProtobufMessage } from "./protobuf-type.js";

let nextName = 0;

/** A message of these fields, which are numbered from 1 unless they say another number. */
function message(
  fields: readonly Partial<ProtobufField>[],
  reserved: ProtobufMessage["reserved"] = [],
): ProtobufMessage {
  const named = fields.map((each, index) => {
    const number = each.number ?? index + 1;
    const field: ProtobufField = {
      name: `f${number}`,
      number,
      type: each.message === undefined ? "int32" : "message",
      isRepeated: false,
      isRequired: false,
      isOptional: false,
      oneof: undefined,
      message: undefined,
      isMap: false,
      values: undefined,
      default: undefined,
      isLongText: false,
      ...each,
    };
    return [number, field] as const;
  });
  return { name: `M${nextName++}`, fields: new Map(named), reserved };
}

/** Why the reader does not read everything that the writer writes. */
function obstacles(
  writer: ProtobufMessage,
  reader: ProtobufMessage,
  unknownFields: "keep" | "refuse" = "keep",
) {
  return protobufObstacles(writer, reader, { unknownFields, typeOf: true }).map(
    ({ kind, path, text }) => `${kind}${path === "" ? "" : ` at ${path}`}: ${text}`,
  );
}

const oneField = (field: Partial<ProtobufField>) => message([field]);
const enumOf = (isClosed: boolean, ...numbers: readonly number[]): Partial<ProtobufField> => ({
  type: "enum",
  values: { numbers, isClosed },
});
const entry = (more: Partial<ProtobufField> = {}) => message([{}, { type: "string", ...more }]);

describe("a field of Protobuf", () => {
  it.each<[string, Partial<ProtobufField>, Partial<ProtobufField>, string[]]>([
    ["the same", {}, {}, []],
    ["of a wider type", { type: "int32" }, { type: "int64" }, []],
    [
      "of another type of the same form",
      { type: "int64" },
      { type: "int32" },
      ["not-decided at f1: int64 is not read as int32 without change: values beyond its range become others"],
    ],
    ["of another form", { type: "int32" }, { type: "string" }, ["breaks at f1: int32 is not read as string"]],
    ["that may be repeated", {}, { isRepeated: true }, []],
    ["that was repeated", { isRepeated: true }, {}, ["breaks at f1: a list is not read as a single value"]],
    [
      "that the reader requires",
      {},
      { isRequired: true },
      ["breaks at f1: the reader requires it, and the writer does not"],
    ],
    ["that both require", { isRequired: true }, { isRequired: true }, []],
    [
      "with another default",
      { default: "5" },
      {},
      ["breaks at f1: where it is absent, the writer means 5, and the reader its zero value"],
    ],
    [
      "with a default",
      {},
      { default: "6" },
      ["breaks at f1: where it is absent, the writer means its zero value, and the reader 6"],
    ],
    ["that is an open enum", enumOf(false, 0, 1), enumOf(false, 0), []],
    ["that is a closed enum with more values", enumOf(true, 0, 1), enumOf(true, 0, 1, 2), []],
    [
      "that is a closed enum with fewer values",
      enumOf(true, 0, 4, 7),
      enumOf(true, 0),
      ["breaks at f1: the reader's enum is closed and lacks the value 4"],
    ],
    [
      "that becomes an open enum",
      { type: "int32" },
      enumOf(false, 0),
      ["not-decided at f1: int32 is not read as enum without change: values beyond its range become others"],
    ],
    [
      "that becomes a closed enum",
      { type: "int32" },
      enumOf(true, 0),
      ["breaks at f1: int32 is not read as enum"],
    ],
    [
      "with numbers of a closed enum that is not its type",
      { ...enumOf(true, 0, 1), type: "int32" },
      { ...enumOf(true, 0), type: "int32" },
      [],
    ],
    ["that becomes bytes", { message: message([{}]) }, { type: "bytes" }, []],
    [
      "that was a group",
      { message: message([{}]), type: "group" },
      { message: message([{}]) },
      ["breaks at f1: group is not read as message"],
    ],
    [
      "with a message inside",
      { message: message([{ type: "string" }]) },
      { message: message([{}]) },
      ["breaks at f1.f1: string is not read as int32"],
    ],
    [
      "that is a map",
      { message: entry(), isMap: true, isRepeated: true },
      { message: entry({ type: "bool" }), isMap: true, isRepeated: true },
      ["breaks at f1{}.f2: string is not read as bool"],
    ],
    [
      "that was a map",
      { message: entry(), isMap: true, isRepeated: true },
      { message: entry(), isRepeated: true },
      ["not-decided at f1: a map and a list of its entries are alike only on the wire"],
    ],
  ])("is read if it can be: %s", (_, writer, reader, expected) => {
    expect(obstacles(oneField(writer), oneField(reader))).toEqual(expected);
  });

  it("is known by its number, and must not move to another", () => {
    expect(obstacles(oneField({ name: "id" }), oneField({ name: "order_id" }))).toEqual([]);
    expect(obstacles(oneField({ name: "id" }), oneField({ name: "id", number: 2 }))).toEqual([
      "breaks at id: the writer has it as number 1, and the reader as number 2",
    ]);
  });

  it("that the reader does not have is kept, or refused", () => {
    const writer = message([{}, {}]);
    expect(obstacles(writer, message([{}]))).toEqual([]);
    expect(obstacles(writer, message([{}]), "refuse")).toEqual([
      "breaks at f2: the reader has no field 2, and refuses unknown fields",
    ]);
  });

  it("that only the reader has is absent, unless it is required or its number was another's", () => {
    const added = (more: Partial<ProtobufField> = {}) => message([{}, { number: 5, ...more }]);
    expect(obstacles(message([{}]), added())).toEqual([]);
    expect(obstacles(message([{}]), added({ isRequired: true }))).toEqual([
      "breaks at f5: the reader requires it, and the writer has no such field",
    ]);
    const reserved = (start: number, end: number) => obstacles(message([{}], [{ start, end }]), added());
    const old =
      "not-decided at f5: the writer has reserved the number 5: older messages may have another field there";
    expect([reserved(5, 6), reserved(1, 6)]).toEqual([[old], [old]]);
    expect([reserved(4, 5), reserved(6, 7)]).toEqual([[], []]);
  });
});

describe("a oneof of Protobuf", () => {
  const a = { oneof: "choice" };
  const b = { oneof: "choice", type: "string" };

  it("is read by a reader that has all of its members", () => {
    expect(obstacles(message([a, b]), message([a, b]))).toEqual([]);
    expect(obstacles(message([a]), message([a, b]))).toEqual([]);
  });

  it("seems to be unset to a reader that lacks the member, if it has another", () => {
    expect(obstacles(message([a, b]), message([a]))).toEqual([
      "breaks at f2: the reader's oneof has no field 2: it sees no choice at all",
    ]);
    expect(obstacles(message([a, b, {}]), message([{ number: 3 }]))).toEqual([]);
    expect(obstacles(message([{}, b]), message([a]))).toEqual([]);
    expect(obstacles(message([a, b]), message([{}]))).toEqual([]);
    expect(obstacles(message([{ oneof: "other" }, b]), message([{ oneof: "other" }]))).toEqual([]);
  });

  it("keeps one of the fields that the writer can set together", () => {
    const together = "the writer can set f1, f2 together, of which the reader keeps one";
    expect(obstacles(message([{}, { type: "string" }]), message([a, b]))).toEqual([
      `breaks at choice: ${together}`,
    ]);
    expect(obstacles(message([a, { type: "string" }]), message([a, b]))).toEqual([
      `breaks at choice: ${together}`,
    ]);
    expect(obstacles(message([a, { ...b, oneof: "other" }]), message([a, b]))).toEqual([
      `breaks at choice: ${together}`,
    ]);
    expect(obstacles(message([{}]), message([a, b]))).toEqual([]);
    expect(
      obstacles(
        oneField({ message: message([{}, { type: "string" }]) }),
        oneField({ message: message([a, b]) }),
      ),
    ).toEqual([`breaks at f1.choice: ${together}`]);
  });
});

describe("recursive messages of Protobuf", () => {
  function recursive(type: string): ProtobufMessage {
    const fields = new Map<number, ProtobufField>();
    const node = { name: "Node", fields, reserved: [] };
    for (const [number, field] of message([{ type }, { message: node }]).fields) fields.set(number, field);
    return node;
  }

  it("are compared once", () => {
    expect(obstacles(recursive("int32"), recursive("int32"))).toEqual([]);
    expect(obstacles(recursive("int32"), recursive("string"))).toEqual([
      "breaks at f1: int32 is not read as string",
    ]);
  });

  it("are compared with each type of the reader", () => {
    const node = message([{ type: "string" }]);
    const other = message([{}]);
    expect(
      obstacles(
        message([{ message: node }, { message: node }]),
        message([{ message: node }, { message: other }]),
      ),
    ).toEqual(["breaks at f2.f1: string is not read as int32"]);
  });
});

it("the name of a message counts, unless the reader finds its type by itself", () => {
  const [writer, reader] = [message([{}]), message([{}])];
  expect(protobufObstacles(writer, reader, { unknownFields: "keep", typeOf: false })).toEqual([
    {
      kind: "breaks",
      path: "",
      text: `the content type names the Protobuf type ${writer.name}, and the reader has ${reader.name}`,
    },
  ]);
});
