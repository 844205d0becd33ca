import { pick, type Random } from "waybill-harness/random.js";

/** Texts that are special to parsers of HTTP, XML and JSON. */
const tokens = [
  "\r\n",
  "\n",
  "\0",
  "<",
  ">",
  "&",
  "</",
  "/>",
  "<![CDATA[",
  "]]>",
  "<!--",
  "-->",
  "<?x",
  "<!DOCTYPE a>",
  '<!ENTITY a "b">',
  "&a;",
  "&#0;",
  "&#x110000;",
  "&amp;amp;",
  ' xmlns:p="u"',
  ' i:type="SqlFilter"',
  "{",
  "}",
  "[",
  "]",
  '"',
  "\\",
  "\\u0000",
  "\\ud800",
  "null",
  "true",
  "-0",
  "1e999",
  "99999999999999999999",
  '"__proto__":{}',
  '{"$amqp":"',
  '{"$binary":"',
  "constructor",
  "../../../scripts/src/",
  "%2e%2e",
  "%00",
  "%zz",
  "//",
  "$DeadLetterQueue",
  "?",
  "#",
  "$skip=-1",
  "$top=1e9",
  "timeout=0",
  "Content-Length: 5\r\n",
  "Transfer-Encoding: chunked\r\n",
  "Expect: 100-continue\r\n",
  "Authorization: x\r\n",
  "P99999999999D",
  "PT-1S",
  "\u00e9",
  "\ud83d\ude00",
] as const;

/** A copy of a text with one to four things wrong with it. */
export function mutateText(text: Uint8Array, random: Random): Buffer {
  let bytes = Buffer.from(text);
  for (let count = 1 + random(4); count > 0 && bytes.length > 0; count--) bytes = mutateOnce(bytes, random);
  return bytes;
}

function mutateOnce(bytes: Buffer<ArrayBuffer>, random: Random): Buffer<ArrayBuffer> {
  const at = random(bytes.length);
  const to = Math.min(bytes.length, at + 1 + random(16));
  switch (random(6)) {
    case 0:
      bytes[at] = (bytes[at] ?? 0) ^ (1 << random(8));
      return bytes;
    case 1:
      return splice(bytes, at, at, Buffer.from(pick(tokens, random)));
    case 2:
      return splice(bytes, at, to, Buffer.alloc(0));
    case 3:
      return splice(
        bytes,
        at,
        at,
        Buffer.concat(Array.from({ length: 1 + random(50) }, () => bytes.subarray(at, to))),
      );
    case 4:
      return bytes.subarray(0, at);
    default:
      return splice(bytes, at, to, Buffer.from(pick(tokens, random)));
  }
}

function splice(
  bytes: Buffer<ArrayBuffer>,
  from: number,
  to: number,
  inserted: Uint8Array,
): Buffer<ArrayBuffer> {
  return Buffer.concat([bytes.subarray(0, from), inserted, bytes.subarray(to)]);
}
