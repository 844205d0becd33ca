import { describe, expect, it } from "vitest";
import { AmqpDecodeError } from "../codec/decode-error.js";
import { encodeValue } from "../codec/encode.js";
import {
  type AmqpValue,
  array,
  described,
  int,
  long,
  stringMap,
  symbol,
  symbolMap,
  timestamp,
  ulong,
  uuid,
} from "../codec/value.js";
import { countBatch, joinBatch, scanBatch, splitBatch } from "./batch.js";
import { scanMessage } from "./sections.js";
import { encodeMessage, spliceMessage } from "./splice.js";
import { type PropertyStamps, stampProperties } from "./stamp-properties.js";

const section = (code: number, value: Parameters<typeof encodeValue>[0]): Uint8Array =>
  encodeValue(described(BigInt(code), value));

/** A section of bytes that `encodeValue` would not write. */
const rawSection = (code: number, hex: string): Uint8Array =>
  Buffer.from(`0053${code.toString(16)}${hex}`, "hex");

const full = encodeMessage({
  header: { durable: true, ttl: 5000, deliveryCount: 0 },
  deliveryAnnotations: symbolMap({ "x-opt-a": int(1) }),
  messageAnnotations: symbolMap({ "x-opt-sequence-number": long(7n) }),
  properties: {
    messageId: ulong(0n),
    groupId: "",
    creationTime: new Date(1000),
    contentType: "application/json",
  },
  applicationProperties: stringMap({ when: timestamp(5n), id: uuid(new Uint8Array(16)) }),
  body: { kind: "data", sections: [Buffer.from("one"), Buffer.from("two")] },
  footer: symbolMap({ crc: int(9) }),
});

describe("scanMessage", () => {
  it("finds every section and decodes the requested ones", () => {
    const message = scanMessage(full);
    expect(message.decodeHeader()).toMatchObject({
      durable: true,
      ttl: 5000,
      deliveryCount: 0,
      priority: undefined,
    });
    expect(message.decodeDeliveryAnnotations()?.get("x-opt-a")).toEqual(int(1));
    expect(message.decodeMessageAnnotations()?.get("x-opt-sequence-number")).toEqual(long(7n));
    expect(message.decodeProperties()).toMatchObject({
      messageId: ulong(0n),
      groupId: "",
      creationTime: new Date(1000),
      contentType: "application/json",
    });
    expect(message.decodeApplicationProperties()?.get("when")).toEqual(timestamp(5n));
    expect(message.bodyKind).toBe("data");
    expect(message.decodeBody().map(String)).toEqual(["one", "two"]);
    expect(message.footer?.end).toBe(full.length);
  });

  it("accepts symbolic descriptors and an empty message", () => {
    expect(scanMessage(encodeValue(described("amqp:amqp-value:*", "x"))).decodeBody()).toEqual(["x"]);
    expect(scanMessage(new Uint8Array()).bodyKind).toBe("none");
  });

  it("never decodes the body", () => {
    const broken = Buffer.concat([section(0x73, []), Buffer.from("005377a102c328", "hex")]);
    expect(scanMessage(broken).body).toEqual([{ start: 4, valueStart: 7, end: broken.length }]);
  });

  it("checks sections that are kept encoded, and accepts valid ones", () => {
    expect(() => scanMessage(full).checkKept()).not.toThrow();
    expect(() => scanMessage(new Uint8Array()).checkKept()).not.toThrow();
    const sequence = encodeMessage({ body: { kind: "sequence", sections: [[], [1, "a"]] } });
    expect(() => scanMessage(sequence).checkKept()).not.toThrow();
  });

  it.each([
    ["delivery annotations that are not a map", section(0x71, "text"), /not a map/],
    ["a string that is not UTF-8 in a property", rawSection(0x74, "c10802a10161a102c328"), /not UTF-8/],
    ["application properties that are described", section(0x74, described(1n, stringMap({}))), /not a map/],
    ["a data section of text", section(0x75, "text"), /binary/],
    ["a sequence section of text", section(0x76, "text"), /list/],
    ["an invalid value", rawSection(0x77, "a102c328"), /not UTF-8/],
    ["a footer that is not a map", section(0x78, []), /not a map/],
  ])("finds %s", (_name, encoded, reason) => {
    const message = scanMessage(encoded);
    expect(() => message.checkKept()).toThrow(AmqpDecodeError);
    expect(() => message.checkKept()).toThrow(reason);
  });

  it("accepts a footer before the body, and moves it after the body", () => {
    const properties = section(0x73, ["id"]);
    const footer = section(0x78, stringMap({ sum: "x" }));
    const body = [section(0x75, Buffer.from("a")), section(0x75, Buffer.from("b"))];
    const early = scanMessage(Buffer.concat([properties, footer, ...body]));
    early.checkKept();
    expect(early.decodeBody().map(String)).toEqual(["a", "b"]);
    expect(early.footer).toBeDefined();
    const ordered = early.inOrder();
    expect(Buffer.compare(ordered.bytes, Buffer.concat([properties, ...body, footer]))).toBe(0);
    expect(ordered.inOrder()).toBe(ordered);
    const only = scanMessage(Buffer.concat([properties, footer]));
    expect(only.inOrder()).toBe(only);
  });

  it("accepts delivery annotations behind the footer, where uAMQP sends them, and puts them into their place", () => {
    const [header, properties] = [section(0x70, []), section(0x73, ["id"])];
    const [delivery, message] = [section(0x71, stringMap({ d: 1 })), section(0x72, stringMap({ m: 1 }))];
    const [body, footer] = [section(0x75, Buffer.from("a")), section(0x78, stringMap({ f: 1 }))];
    const sent = scanMessage(Buffer.concat([header, message, properties, footer, delivery, body]));
    sent.checkKept();
    const ordered = sent.inOrder();
    const expected = Buffer.concat([header, delivery, message, properties, body, footer]);
    expect(Buffer.compare(ordered.bytes, expected)).toBe(0);
    expect(ordered.inOrder()).toBe(ordered);
    for (const sections of [
      [delivery, message, delivery, body],
      [message, delivery, delivery, body],
      [message, delivery, message, body],
      [message, body, delivery],
    ])
      expect(() => scanMessage(Buffer.concat(sections))).toThrow("out of order");
  });

  it.each<[string, AmqpValue]>([
    ["list", [1]],
    ["list", []],
    ["map", stringMap({ a: 1 })],
    ["array", array("int", [int(1)])],
    ["list", described("some:type", [1])],
  ])("finds an application property that is a %s", (type, value) => {
    const simple = { text: "t", none: null, at: timestamp(new Date(0)), id: described("some:type", "x") };
    const message = scanMessage(section(0x74, stringMap({ ...simple, odd: value, other: [] })));
    const limits = { propertyBytes: 400, totalBytes: 500 };
    expect(message.findPropertyFault(limits)).toEqual({ kind: "compound", name: "odd", type });
    expect(scanMessage(section(0x74, stringMap(simple))).findPropertyFault(limits)).toBeUndefined();
    const wide = scanMessage(section(0x74, stringMap({ ...simple, long: "x".repeat(300), odd: value })));
    expect(wide.findPropertyFault(limits)).toEqual({ kind: "compound", name: "odd", type });
  });

  it("counts names and values of application properties by their bytes", () => {
    const message = scanMessage(
      section(0x74, stringMap({ a: "x".repeat(299), b: Buffer.alloc(9), c: long(5n), d: true })),
    );
    const faultAt = (propertyBytes: number, totalBytes: number) =>
      message.findPropertyFault({ propertyBytes, totalBytes });
    expect(faultAt(300, 313)).toBeUndefined();
    expect(faultAt(299, 313)).toEqual({ kind: "too-large", name: "a", bytes: 300 });
    expect(faultAt(300, 312)).toEqual({ kind: "too-large-together", bytes: 313 });
    expect(
      scanMessage(section(0x74, stringMap({}))).findPropertyFault({ propertyBytes: 0, totalBytes: 0 }),
    ).toBeUndefined();
  });

  it.each([
    ["sections out of order", [section(0x74, stringMap({})), section(0x70, [])]],
    ["a section twice", [section(0x70, []), section(0x70, [])]],
    ["a footer before properties", [section(0x78, stringMap({})), section(0x73, [])]],
    ["two footers", [section(0x78, stringMap({})), section(0x77, 1), section(0x78, stringMap({}))]],
    [
      "a body on both sides of the footer",
      [0x75, 0x78, 0x75].map((code) => section(code, code === 0x75 ? Buffer.from("a") : stringMap({}))),
    ],
    ["two kinds of body", [section(0x75, Buffer.from("a")), section(0x77, "a")]],
    ["an unknown section", [section(0x79, [])]],
    ["a truncated section", [section(0x75, Buffer.from("abc")).subarray(0, 6)]],
    ["bytes that are not a section", [Buffer.from("hello")]],
  ])("refuses %s", (_name, sections) => {
    expect(() => scanMessage(Buffer.concat(sections))).toThrow(AmqpDecodeError);
  });
});

describe("the data of a message", () => {
  const textOf = (message: Uint8Array): string | undefined => {
    const { data } = scanMessage(message);
    return data && Buffer.from(message.subarray(data.start, data.end)).toString();
  };

  it("is the bytes of its only data section, short or long", () => {
    expect(textOf(encodeMessage({ body: { kind: "data", sections: [Buffer.from("one")] } }))).toBe("one");
    const long = "x".repeat(1000);
    expect(textOf(encodeMessage({ body: { kind: "data", sections: [Buffer.from(long)] } }))).toBe(long);
  });

  it("is undefined if there are several sections, none, or another kind", () => {
    expect(textOf(full)).toBeUndefined();
    expect(textOf(new Uint8Array())).toBeUndefined();
    expect(textOf(encodeMessage({ body: { kind: "value", value: Buffer.from("one") } }))).toBeUndefined();
    expect(textOf(section(0x75, "text"))).toBeUndefined();
  });
});

describe("stampProperties", () => {
  const body = section(0x75, Buffer.from("body"));
  const withProperties = (...properties: readonly Uint8Array[]): Uint8Array =>
    Buffer.concat([...properties, body]);
  const give = (bare: Uint8Array, id: string) =>
    scanMessage(Buffer.concat(stampProperties(bare, { messageId: id })));

  const kinds: readonly (readonly [string, Uint8Array])[] = [
    ["no properties", withProperties()],
    ["nothing at all", new Uint8Array()],
    ["an empty list of properties", withProperties(Buffer.from([0x00, 0x53, 0x73, 0x45]))],
    ["an empty list in its long form", withProperties(Buffer.from("005373d00000000400000000", "hex"))],
    ["no id among the properties", withProperties(section(0x73, [null, null, "to", "subject"]))],
  ];

  it.each(kinds)("sets the id of a message with %s", (_, message) => {
    const before = scanMessage(message);
    const after = give(message, "an id");
    expect(after.decodeProperties()).toEqual({ ...before.decodeProperties(), messageId: "an id" });
    expect(after.decodeBody()).toEqual(before.decodeBody());
  });

  it.each(kinds)("writes both times into a message with %s", (_, message) => {
    const before = scanMessage(message);
    const times = { creationTime: 1_800_000_000_123, absoluteExpiryTime: 253_402_243_199_000 };
    const after = scanMessage(Buffer.concat(stampProperties(message, times)));
    expect(after.decodeProperties()).toEqual({
      ...before.decodeProperties(),
      creationTime: new Date(times.creationTime),
      absoluteExpiryTime: new Date(times.absoluteExpiryTime),
    });
    expect(after.decodeBody()).toEqual(before.decodeBody());
  });

  it("replaces and removes times and keeps everything else, including an id of any type", () => {
    const sent = {
      messageId: ulong(7n),
      userId: Buffer.from("me"),
      contentEncoding: "gzip",
      absoluteExpiryTime: new Date(5),
      creationTime: new Date(-1),
      groupId: "",
      groupSequence: 3,
      replyToGroupId: "r",
    };
    const message = encodeMessage({ properties: sent, body: { kind: "value", value: "x" } });
    const stamp = (times: PropertyStamps) =>
      scanMessage(
        Buffer.concat(stampProperties(message, { messageId: "an id", ...times })),
      ).decodeProperties();
    const all = scanMessage(message).decodeProperties();
    expect(stamp({ creationTime: -2 })).toEqual({ ...all, creationTime: new Date(-2) });
    expect(stamp({ absoluteExpiryTime: 2 ** 33 })).toEqual({ ...all, absoluteExpiryTime: new Date(2 ** 33) });
    expect(stamp({ absoluteExpiryTime: null })).toEqual({ ...all, absoluteExpiryTime: undefined });
    expect(stamp({})).toEqual(all);
  });

  it("does not change a message that has an id of any type", () => {
    const message = withProperties(section(0x73, [uuid(new Uint8Array(16)), null, "to"]));
    expect(stampProperties(message, { messageId: "an id" })).toEqual([message]);
  });

  it("keeps the other properties byte for byte, including those of a later version", () => {
    const others = [null, symbol("to"), ...Array.from({ length: 20 }, (_, i) => int(i))];
    const { bytes } = give(withProperties(section(0x73, [null, ...others])), "id");
    expect(Buffer.from(bytes).includes(Buffer.from(encodeValue(symbol("to"))))).toBe(true);
    expect(Buffer.from(bytes).indexOf(Buffer.from(encodeValue(int(19))))).toBeGreaterThan(0);
  });

  it("refuses an id that is too long", () => {
    expect(() => stampProperties(body, { messageId: "x".repeat(256) })).toThrow(TypeError);
  });
});

describe("spliceMessage", () => {
  it("replaces header and annotations and keeps the bare message byte for byte", () => {
    const message = scanMessage(full);
    const annotations = symbolMap({ "x-opt-locked-until": timestamp(new Date(9)) });
    const [front, rest] = spliceMessage(message, {
      header: { deliveryCount: 2 },
      deliveryAnnotations: null,
      messageAnnotations: annotations,
    });
    const spliced = scanMessage(Buffer.concat([front, rest]));
    expect(spliced.decodeHeader()).toMatchObject({ deliveryCount: 2, durable: undefined });
    expect(spliced.deliveryAnnotations).toBeUndefined();
    expect(spliced.decodeMessageAnnotations()).toEqual(annotations);
    expect(rest).toEqual(full.subarray(message.bareStart));
  });

  it("keeps the other sections", () => {
    expect(Buffer.concat(spliceMessage(scanMessage(full), {}))).toEqual(Buffer.from(full));
  });

  it("adds sections before a message that has none", () => {
    const bare = section(0x77, symbol("x"));
    const [front, rest] = spliceMessage(scanMessage(bare), { header: { deliveryCount: 0 } });
    expect(rest).toEqual(bare);
    expect(scanMessage(front).decodeHeader()?.deliveryCount).toBe(0);
  });
});

describe("scanBatch", () => {
  it("finds the positions of an envelope's messages", () => {
    const envelope = joinBatch([full, encodeMessage({ body: { kind: "value", value: "x" } })]);
    const [first, second] = scanBatch(envelope);
    expect(first).toMatchObject({ bytes: envelope, bodyKind: "data" });
    expect(envelope.subarray(first!.start, first!.end)).toEqual(Buffer.from(full));
    expect(first!.bareStart - first!.start).toBe(scanMessage(full).bareStart);
    expect(first!.decodeProperties()).toEqual(scanMessage(full).decodeProperties());
    expect(first!.decodeBody().map(String)).toEqual(["one", "two"]);
    expect(Buffer.concat(spliceMessage(first!, {}))).toEqual(Buffer.from(full));
    expect(second!.bareStart).toBe(second!.start);
    expect(second!.decodeBody()).toEqual(["x"]);
  });

  it("refuses an envelope with one malformed message", () => {
    expect(() => scanBatch(joinBatch([full, Buffer.from("hello")]))).toThrow(AmqpDecodeError);
  });
});

describe("sections without items", () => {
  it.each(["45", "c00100", "d00000000400000000"])("are decoded as empty lists from %s", (list) => {
    const message = scanMessage(Buffer.from(`005370${list}005373${list}`, "hex"));
    expect(message.decodeHeader()).toEqual({});
    expect(message.decodeProperties()).toEqual({});
  });

  it.each(["c10100", "d10000000400000000"])("are decoded as empty maps from %s", (map) => {
    expect(scanMessage(Buffer.from(`005372${map}`, "hex")).decodeMessageAnnotations()?.size).toBe(0);
  });

  it.each(["c00000", "c10100", "d10000000400000000", "d00000000400000001"])(
    "are refused as a header of %s, which is not a list or is malformed",
    (value) => {
      expect(() => scanMessage(Buffer.from(`005370${value}`, "hex")).decodeHeader()).toThrow(AmqpDecodeError);
    },
  );
});

describe("splitBatch", () => {
  it("yields the messages of an envelope, also a single one", () => {
    expect(splitBatch(joinBatch([full, full.subarray(0, 0)]))).toEqual([Buffer.from(full), Buffer.alloc(0)]);
    expect(splitBatch(joinBatch([full]))).toHaveLength(1);
  });

  it("refuses an envelope with another kind of body", () => {
    expect(() => splitBatch(section(0x77, "x"))).toThrow(/no data sections/);
    expect(() => splitBatch(section(0x75, "text"))).toThrow(/does not hold binary/);
  });
});

describe("countBatch", () => {
  it("counts the messages of a batch, up to the limit", () => {
    const batch = joinBatch(
      Array.from({ length: 30 }, () => encodeMessage({ body: { kind: "value", value: 1 } })),
    );
    expect([countBatch(batch, 100), countBatch(batch, 30), countBatch(batch, 10)]).toEqual([30, 30, 11]);
    expect(countBatch(batch.subarray(0, -1), 100)).toBe(30);
    expect(countBatch(Buffer.from("nonsense"), 100)).toBe(0);
  });
});

describe("a message with a data section for every few bytes", () => {
  it("is malformed", () => {
    const sections = Array.from({ length: 10_001 }, () => new Uint8Array(0));
    const message = encodeMessage({ body: { kind: "data", sections } });
    expect(() => scanMessage(message)).toThrow("too many body sections");
    scanMessage(encodeMessage({ body: { kind: "data", sections: sections.slice(1) } }));
  });
});
