import { type SerializerSubject, serializerCases } from "@waybill/conformance";
import { createPipeline } from "@waybill/core";
import { describe, expect, it } from "vitest";
import { xml } from "./xml-serializer.js";

const order = {
  Order: {
    "@xmlns": "http://tempuri.net/Shop",
    Id: "A-1042",
    Total: "129.95",
    Lines: { Line: ["lamp", "bulb"] },
  },
};
const orderText =
  '<Order xmlns="http://tempuri.net/Shop"><Id>A-1042</Id><Total>129.95</Total><Lines><Line>lamp</Line><Line>bulb</Line></Lines></Order>';
const utf8 = (text: string) => new TextEncoder().encode(text);

const subject: SerializerSubject = {
  create: () => xml({ value: "parsed" }),
  values: [
    { name: "an order", value: order },
    {
      name: "an element that is nil and has an attribute",
      value: {
        a: { "@xmlns:i": "http://www.w3.org/2001/XMLSchema-instance", b: { "@i:nil": "true", "@id": "1" } },
      },
    },
    {
      name: "a document whose declaration names UTF-16",
      value: '<?xml version="1.0" encoding="utf-16"?><a/>',
      isRefused: true,
    },
    { name: "a document as text", value: orderText, becomes: { value: order } },
    { name: "both, as they are read", value: { text: orderText, parsed: order }, becomes: { value: order } },
    { name: "strings in many scripts", value: { a: { "@b": "Zoë <&>\"' \t\n\r", "#text": " 注文 🌍 \n" } } },
    {
      name: "numbers, dates and bytes",
      value: { a: { n: 1.5, big: 2n ** 63n, at: new Date(0), raw: Uint8Array.of(1) } },
      becomes: {
        value: { a: { n: "1.5", big: "9223372036854775808", at: "1970-01-01T00:00:00.000Z", raw: "AQ==" } },
      },
    },
    { name: "empty elements", value: { a: { b: null, c: "" } } },
    { name: "keys of every object", value: { a: { constructor: "1", toString: "2", hasOwnProperty: "3" } } },
    {
      name: "an object with an undefined member",
      value: { a: { b: "1", c: undefined } },
      becomes: { value: { a: { b: "1" } } },
    },
    { name: "two roots", value: { a: "1", b: "2" }, isRefused: true },
    { name: "a root that is a list", value: { a: ["1", "2"] }, isRefused: true },
    { name: "a key that is not a name", value: { a: { "1 b": "2" } }, isRefused: true },
    { name: "a list of lists", value: { a: { b: [["1"]] } }, isRefused: true },
    { name: "a control character", value: { a: "\u0001" }, isRefused: true },
    { name: "a lone surrogate", value: { a: "\ud800" }, isRefused: true },
    { name: "a __proto__ key", value: JSON.parse('{"a":{"__proto__":"1"}}') as unknown, isRefused: true },
    { name: "a string that is not a document", value: "hello", isRefused: true },
    { name: "a number", value: 7, isRefused: true },
    { name: "null", value: null, isRefused: true },
    { name: "undefined", value: undefined, isRefused: true },
  ],
  marked: (marker) => ({ order: { note: `${marker}é` } }),
  nesting: {
    value: (depth) => {
      let value: unknown = "1";
      for (let level = 0; level < depth; level++) value = { a: value };
      return value;
    },
    bytes: (depth) => utf8("<a>".repeat(depth) + "</a>".repeat(depth)),
  },
  items: (count) => ({ a: count === 1 ? { b: "1" } : { b: new Array(count).fill("1") } }),
  recognises: ["xml"],
  bodies: [
    {
      name: "a document in the form of .NET's XmlSerializer",
      bytes: utf8(
        `\uFEFF<?xml version="1.0" encoding="utf-8"?>\r\n<Order xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><Note xsi:nil="true" /></Order>`,
      ),
      value: { Order: { "@xmlns:xsi": "http://www.w3.org/2001/XMLSchema-instance", Note: null } },
    },
    {
      name: "nil by its namespace, whatever the prefix",
      bytes: utf8(
        '<a xmlns:i="http://www.w3.org/2001/XMLSchema-instance"><b i:nil="true"/><c i:nil="1"></c><d i:nil="false"/><e d2p1:nil="true" xmlns:d2p1="http://www.w3.org/2001/XMLSchema-instance"/><f xmlns:i="urn:other" i:nil="true"/><g i:nil="true"/><h d2p1:nil="true"/></a>',
      ),
      value: {
        a: {
          "@xmlns:i": "http://www.w3.org/2001/XMLSchema-instance",
          b: null,
          c: null,
          d: { "@i:nil": "false" },
          e: null,
          f: { "@xmlns:i": "urn:other", "@i:nil": "true" },
          g: null,
          h: { "@d2p1:nil": "true" },
        },
      },
    },
    {
      name: "attributes beside nil",
      bytes: utf8('<a xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><b id="7" xsi:nil="true"/></a>'),
      value: {
        a: {
          "@xmlns:xsi": "http://www.w3.org/2001/XMLSchema-instance",
          b: { "@id": "7", "@xsi:nil": "true" },
        },
      },
    },
    {
      name: "nil beside an attribute of the same name in another namespace",
      bytes: utf8(
        '<a xmlns:i="http://www.w3.org/2001/XMLSchema-instance" xmlns:o="urn:other"><b i:nil=" 1 " o:nil="false"/><c o:nil="true" i:nil="0"/></a>',
      ),
      value: {
        a: {
          "@xmlns:i": "http://www.w3.org/2001/XMLSchema-instance",
          "@xmlns:o": "urn:other",
          b: { "@i:nil": " 1 ", "@o:nil": "false" },
          c: { "@o:nil": "true", "@i:nil": "0" },
        },
      },
    },
    {
      name: "a prefix that is bound again further inside, and nil without a prefix",
      bytes: utf8(
        '<a xmlns:p="http://www.w3.org/2001/XMLSchema-instance"><b xmlns:p="urn:other"><c p:nil="true"/></b><d p:nil="true"/><e nil="true"/></a>',
      ),
      value: {
        a: {
          "@xmlns:p": "http://www.w3.org/2001/XMLSchema-instance",
          b: { "@xmlns:p": "urn:other", c: { "@p:nil": "true" } },
          d: null,
          e: { "@nil": "true" },
        },
      },
    },
    {
      name: "the declaration of .NET's StringWriter, in bytes that cannot be UTF-16",
      bytes: utf8('<?xml version="1.0" encoding="utf-16"?><a>é</a>'),
      value: { a: "é" },
    },
    {
      name: "a declaration that the byte order mark outranks",
      bytes: utf8('\uFEFF<?xml version="1.0" encoding="iso-8859-1"?><a>é</a>'),
      value: { a: "é" },
    },
    {
      name: "line breaks, which are normalized before parsing",
      bytes: utf8('<a b="1\r\n2\r3">1\r\n2\r3\r\r\n4&#13;5<![CDATA[\r\n]]></a>'),
      value: { a: { "@b": "1 2 3", "#text": "1\n2\n3\n\n4\r5\n" } },
    },
    {
      name: "references, sections and comments",
      bytes: utf8("<a b='&lt;&#233;&amp;lt;'>&amp;lt; &#x1F30D;<!-- c --><![CDATA[&lt;<x>]]></a>"),
      value: { a: { "@b": "<é&lt;", "#text": "&lt; 🌍&lt;<x>" } },
    },
    {
      name: "mixed content",
      bytes: utf8("<a>1<b/>2<b>3</b></a>"),
      value: { a: { b: ["", "3"], "#text": "12" } },
    },
    { name: "text that looks like a number", bytes: utf8("<a>007</a>"), value: { a: "007" } },
  ],
  hostile: [
    {
      name: "a billion laughs",
      bytes: utf8('<!DOCTYPE a [<!ENTITY b "bb"><!ENTITY c "&b;&b;">]><a>&c;</a>'),
      reason: "type-forbidden",
    },
    {
      name: "an external entity",
      bytes: utf8('<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>'),
      reason: "type-forbidden",
    },
    { name: "an undefined entity", bytes: utf8("<a>&nbsp;</a>"), reason: "malformed" },
    { name: "overlapping tags", bytes: utf8("<a><b></a></b>"), reason: "malformed" },
    { name: "a duplicate attribute", bytes: utf8('<a b="1" b="2"/>'), reason: "malformed" },
    { name: "an attribute without quotes", bytes: utf8("<a b=1/>"), reason: "malformed" },
    { name: "two roots", bytes: utf8("<a/><b/>"), reason: "malformed" },
    { name: "text after the root", bytes: utf8("<a/>b"), reason: "malformed" },
    {
      name: "another encoding",
      bytes: utf8('<?xml version="1.0" encoding="iso-8859-1"?><a/>'),
      reason: "charset-unsupported",
    },
    {
      name: "a __proto__ element",
      bytes: utf8("<a><__proto__><isPolluted/></__proto__></a>"),
      reason: "key-forbidden",
    },
    {
      name: "a constructor.prototype path",
      bytes: utf8("<a><constructor><prototype/></constructor></a>"),
      reason: "key-forbidden",
    },
    {
      name: "ill-formed UTF-8",
      bytes: Uint8Array.of(0x3c, 0x61, 0x3e, 0xc3, 0x28, 0x3c, 0x2f, 0x61, 0x3e),
      reason: "utf8-invalid",
    },
    { name: "a tag that never ends", bytes: utf8(`<a ${'b="1" '.repeat(10_000)}`), reason: "truncated" },
  ],
};

describe("xml", () => {
  it("ignores the declaration if the content type names UTF-8", async () => {
    const pipeline = createPipeline({ serializer: xml({ value: "parsed" }) });
    const body = utf8('<?xml version="1.0" encoding="iso-8859-1"?><a>é</a>');
    expect(await pipeline.deserialize({ contentType: "application/xml; charset=utf-8", body })).toMatchObject(
      { status: "decoded", body: { a: "é" } },
    );
  });

  for (const { name, run } of serializerCases(subject)) it(name, run);
});
