import { json } from "@waybill/serializer-json";
import { type GrowingBodies, type GrowingBody, label, nested, numbered, repeated } from "./growing-body.js";

const integer = "12345678901234567";

/** 100 levels, each with a duplicate of its key before and after the next. */
function nestedDuplicates(bytes: number): Buffer {
  const levels = 100;
  const open = `{"a":${integer},"a":`.repeat(levels);
  return Buffer.from(`${open}"${"x".repeat(bytes)}"${`,"a":${integer}}`.repeat(levels)}`);
}

export const jsonBodies: GrowingBodies = {
  numbers: plain(repeated("[0", ",1", "]")),
  fractions: plain(repeated("[0", ",1.25e-3", "]")),
  "integers beyond 2^53": plain(repeated("[0", `,${integer}`, "]")),
  "integers of 300 digits": plain(repeated("[0", `,1${"7".repeat(299)}`, "]")),
  "the digits of a number": plain(repeated("[", "7", "]")),
  text: plain(repeated('["', "word ", `",${integer}]`)),
  escapes: plain(repeated('["', "\\u00e9\\n", '"]')),
  "text of two bytes a character": plain(repeated('["', "€ ", `",${integer}]`)),
  "white space": plain(repeated("[", "\n \t", `${integer}]`)),
  "empty arrays": plain(repeated("[0", ",[]", "]")),
  "empty objects": plain(repeated("[0", ",{}", "]")),
  keys: plain(numbered("{", (index) => `"${label(index)}":${integer},`, '"z":0}')),
  "keys with escapes": plain(numbered("{", (index) => `"\\u0061${label(index)}":${integer},`, '"z":0}')),
  "duplicate keys": plain(repeated("{", `"a":${integer},`, '"a":0}')),
  "duplicate objects": plain(repeated("{", `"a":{"a":${integer}},`, '"a":0}')),
  "text in nested duplicate keys": plain(nestedDuplicates),
  "text in objects in objects": plain(
    nested(
      (bytes) => `"${"x".repeat(bytes)}"`,
      () => ['{"a":', "}"],
    ),
  ),
  "a text of JSON in a text": plain((bytes) => Buffer.from(JSON.stringify("[0,1]".repeat(bytes / 5)))),
  "objects with keys of their own": plain(numbered("[0", (index) => `,{"${label(index)}":0}`, "]")),
  "unique items": {
    contentType: "application/json",
    serializer: () => json({ schema: { uniqueItems: true } }),
    make: numbered("[0", (index) => `,{"id":${1e16 + 3 * index}}`, "]"),
  },
  "an error at the end": plain(repeated("[0", `,"a"`, "}")),
  "opened arrays": plain(repeated("", "[", "")),
};

function plain(make: GrowingBody["make"]): GrowingBody {
  return { contentType: "application/json", serializer: () => json(), make };
}
