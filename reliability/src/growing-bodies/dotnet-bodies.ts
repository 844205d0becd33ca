import { dotnetBinary } from "@waybill/serializer-dotnet";
import {
  type GrowingBodies,
  type GrowingBody,
  label,
  nested,
  numbered,
  type Piece,
  repeated,
} from "./growing-body.js";

const serialization = "http://schemas.microsoft.com/2003/10/Serialization/";

/** The records of .NET binary XML. Source: [MC-NBFX] 2.2. */
const name = (text: string): number[] => [
  ...(text.length < 128 ? [text.length] : [(text.length & 0x7f) | 0x80, text.length >> 7]),
  ...Buffer.from(text, "latin1"),
];
const start = (local: string): number[] => [0x40, ...name(local)];
const prefixed = (prefix: string, local: string): number[] => [0x41, ...name(prefix), ...name(local)];
const xmlns = (prefix: string, namespace: string): number[] => [0x09, ...name(prefix), ...name(namespace)];
const end = 0x01;
const text = (value: string): number[] => [0x98, ...name(value)];
const leaf = (local: string, value: string): number[] => [...start(local), 0x99, ...name(value)];

const root = [
  ...start("r"),
  ...[0x08, ...name(serialization)],
  ...xmlns("i", "http://www.w3.org/2001/XMLSchema-instance"),
  ...xmlns("x", "http://www.w3.org/2001/XMLSchema"),
];
const list = [...start("ArrayOfanyType"), 0x08, ...name(`${serialization}Arrays`)];
const dateTime = [0x96, 0, 0x80, 0x2c, 0x40, 0x70, 0x4b, 0xdc, 0x48];

export const dotnetBodies: GrowingBodies = {
  elements: within([...start("a"), end]),
  "elements with text": within(leaf("a", "x")),
  "elements with bytes": within([...start("a"), 0x9f, 1, 2]),
  "elements with dates": within([...start("a"), ...dateTime, end]),
  "elements of names of their own": plain(numbered(root, (index) => leaf(`e${label(index)}`, "x"), [end])),
  "items of a list": plain(repeated(list, leaf("anyType", "x"), [end])),
  "entries of a dictionary": plain(
    numbered(
      [...start("ArrayOfKeyValueOfstringstring"), 0x08, ...name(`${serialization}Arrays`)],
      (index) => [
        ...start("KeyValueOfstringstring"),
        ...leaf("Key", label(index)),
        ...leaf("Value", "x"),
        end,
      ],
      [end],
    ),
  ),
  "texts of an element": within(text("x")),
  "blanks of an element": within(text(" ")),
  "byte strings of an element": within([0x9e, 1, 2]),
  "numbers of an element": within([0x8c, 1, 2, 3, 4]),
  "floats of an element": within([0x90, 0xcd, 0xcc, 0x8c, 0x3f]),
  "texts in a list": plain(repeated([...root, 0xa4], text("x"), [0xa6, end])),
  "dates in a list": plain(repeated([...root, 0xa4], dateTime, [0xa6, end])),
  "blanks in the list of an attribute": plain(
    repeated([...start("r"), 0x04, ...name("a"), 0xa4], [0xa8], [0xa6, end]),
  ),
  comments: within([0x02, 1, 0x78]),
  attributes: plain(numbered(start("r"), (index) => [0x04, ...name(label(index)), 0xa8], [end])),
  "elements with an attribute": within([...start("a"), 0x04, ...name("b"), ...text("c"), end]),
  "elements with a type": within([
    ...start("a"),
    0x05,
    ...name("i"),
    ...name("type"),
    ...text("x:int"),
    0x89,
    5,
  ]),
  declarations: plain(numbered(root, (index) => xmlns(label(index), "u"), [end])),
  "elements with a declaration": within([...start("a"), ...xmlns("p", "u"), end]),
  "prefixed children under declarations": plain((bytes) => {
    const declared = numbered(root, (index) => xmlns(label(index), "u"), [])(bytes / 2);
    const children = numbered([], (index) => [...prefixed(label(index % 500), "a"), end], [end])(bytes / 2);
    return Buffer.concat([declared, children]);
  }),
  "children of the first prefix": plain((bytes) => {
    const declared = numbered(root, (index) => xmlns(label(index), "u"), [])(bytes / 2);
    return Buffer.concat([declared, repeated([], [...prefixed(label(0), "a"), end], [end])(bytes / 2)]);
  }),
  "values of an array record": plain((bytes) => {
    const count = Math.max(1, Math.floor(bytes / 4));
    const length = [0, 7, 14, 21].map((shift) => ((count >>> shift) & 0x7f) | 0x80);
    return Buffer.concat([
      Buffer.from([...list, 0x03, ...start("int"), end, 0x8d, ...length, count >>> 28]),
      Buffer.alloc(4 * count, 1),
      Buffer.from([end]),
    ]);
  }),
  "integers of JSON in a string": {
    contentType: "application/msbin1",
    serializer: () => dotnetBinary({ json: true }),
    make: (bytes) => {
      const json = repeated("[0", ",12345678901234567", "]")(bytes);
      const length = Buffer.alloc(4);
      length.writeUInt32LE(json.length);
      return Buffer.concat([
        Buffer.from([...start("string"), 0x08, ...name(serialization), 0x9d]),
        length,
        json,
      ]);
    },
  },
  "text in elements in elements": plain((bytes) => {
    const inner = nested(
      (size) => repeated(start("a"), text("word "), [end])(size),
      () => [[...start("b"), ...xmlns("p", "u")], [end]],
    );
    return Buffer.concat([Buffer.from(root), inner(bytes), Buffer.from([end])]);
  }),
  "plain text": plain(repeated("", "a line of text ", "")),
};

function within(piece: Piece): GrowingBody {
  return plain(repeated(root, piece, [end]));
}

function plain(make: GrowingBody["make"]): GrowingBody {
  return { contentType: "application/msbin1", serializer: () => dotnetBinary(), make };
}
