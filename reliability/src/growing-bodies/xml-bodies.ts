import { xml } from "@waybill/serializer-xml";
import { type GrowingBodies, type GrowingBody, label, nested, numbered, repeated } from "./growing-body.js";

const instance = "http://www.w3.org/2001/XMLSchema-instance";

export const xmlBodies: GrowingBodies = {
  text: plain(repeated("<r>", "word ", "</r>")),
  "line breaks": plain(repeated("<r>", "line\r\n", "</r>")),
  "carriage returns": plain(repeated("<r>", "\r", "</r>")),
  "carriage returns in an attribute": plain(repeated('<r a="', "\r\r\n", '"/>')),
  "tabs in an attribute": plain(repeated('<r a="', "\t", '"/>')),
  entities: plain(repeated("<r>", "&lt;", "</r>")),
  "character references": plain(repeated("<r>", "&#x1F30D;", "</r>")),
  "characters beyond 16 bits": plain(repeated("<r>", "🌍x", "</r>")),
  "references without an end": plain(repeated("<r>", "&a", "</r>")),
  "text in elements in elements": plain(
    nested(
      (bytes) => "x\r".repeat(bytes / 2),
      () => ["<a>", "</a>"],
    ),
  ),
  "declarations in elements in elements": plain(
    nested(
      (bytes) => numberedText(bytes, (index) => `<b p${label(index % 50)}:c=""/>`),
      (content) => [`<a xmlns:p${label(content.indexOf("<b") % 50)}="u">`, "</a>"],
    ),
  ),
  brackets: plain(repeated("<r>", "]]x", "</r>")),
  sections: plain(repeated("<r>", "<![CDATA[x]]>", "</r>")),
  comments: plain(repeated("<r>", "x<!--y-->", "</r>")),
  instructions: plain(repeated("<r>", "<?a b?>", "</r>")),
  elements: plain(repeated("<r>", "<a/>", "</r>")),
  "elements with text": plain(repeated("<r>", "<a>x</a>\n", "</r>")),
  "elements of names of their own": plain(numbered("<r>", (index) => `<e${label(index)}/>`, "</r>")),
  "elements with attributes": plain(repeated("<r>", '<a b="1" c="2"/>', "</r>")),
  attributes: plain(numbered("<r", (index) => ` a${label(index)}=""`, "/>")),
  "the same attribute": plain(repeated("<r", ' a=""', "/>")),
  declarations: plain(numbered("<r", (index) => ` xmlns:p${label(index)}="${instance}"`, "/>")),
  "declarations of one prefix": plain(
    repeated("<r>", `<a xmlns:p="${instance}" p:nil="1"/><b p:nil="1"/>`, "</r>"),
  ),
  "prefixed children under declarations": plain((bytes) =>
    Buffer.from(
      `<r${numberedText(bytes / 2, (index) => ` xmlns:p${label(index)}="${instance}"`)}>${numberedText(
        bytes / 2,
        (index) => `<p${label(index % 1000)}:a p${label(index % 1000)}:nil="1"/>`,
      )}</r>`,
    ),
  ),
  "blanks in a tag": plain(repeated("<r ", " ", "/>")),
  "blanks in an attribute": plain(repeated('<r a="', " ", '"/>')),
  "blanks in a declaration": plain(repeated('<?xml version="1.0" encoding', " ", '="utf-8"?><r/>')),
  "words in a declaration": plain(repeated("<?xml ", "encoding ", '="utf-8"?><r/>')),
  "white space before the document": plain(repeated("", " ", "<r/>")),
  "the name of an element": plain(repeated("<r", "a", "/>")),
  "elements that are not closed": plain(repeated("", "<a>", "")),
  "tags that are not closed": plain(repeated("<r", ' a="', "")),
};

function numberedText(bytes: number, piece: (index: number) => string): string {
  return numbered("", piece, "")(bytes).toString();
}

function plain(make: GrowingBody["make"]): GrowingBody {
  return { contentType: "application/xml", serializer: () => xml(), make };
}
