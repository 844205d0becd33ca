import { type DecodeReason, type DeserializeContext, decodeFailure } from "@waybill/core/serializer";

/**
 * Refuses a document that exceeds the limits of depth or items, or that has a document type declaration, before the parser reads it. Checks markup only; the
 * parser decides whether the document is well-formed. Throws `decodeFailure`.
 */
export function checkXml(
  text: string,
  { maxDepth, maxItems = Number.POSITIVE_INFINITY }: Pick<DeserializeContext, "maxDepth" | "maxItems">,
): void {
  let depth = 0;
  // The root does not count.
  let itemsLeft = maxItems + 1;
  if (!/^\s*</.test(text)) fail("malformed", "it does not begin with markup", 0);
  let at = text.indexOf("<");
  while (at !== -1) {
    const next = text[at + 1];
    let end: number;
    if (next === "!") end = declarationEnd(text, at);
    else if (next === "?") end = endOf(text, "?>", at + 2, at);
    else if (next === "/") {
      end = endOf(text, ">", at + 2, at);
      depth--;
    } else {
      const tag = tagEnd(text, at);
      end = tag.end;
      itemsLeft -= 1 + tag.attributes;
      if (itemsLeft < 0) fail("items-exceeded", `more than ${maxItems} items`, at);
      if (depth >= maxDepth) fail("depth-exceeded", `nesting beyond ${maxDepth}`, at);
      if (text[end - 2] !== "/") depth++;
    }
    at = text.indexOf("<", end);
  }
}

/** Comments and CDATA; anything else with an exclamation mark belongs to a document type declaration. */
function declarationEnd(text: string, at: number): number {
  if (text.startsWith("<!--", at)) return endOf(text, "-->", at + 4, at);
  if (text.startsWith("<![CDATA[", at)) return endOf(text, "]]>", at + 9, at);
  return fail("type-forbidden", "a document type declaration, which could define entities", at);
}

function endOf(text: string, mark: string, from: number, at: number): number {
  const found = text.indexOf(mark, from);
  return found === -1 ? fail("truncated", "the body ends inside markup", at) : found + mark.length;
}

/** The end of a tag; a `>` within quotes does not end it. */
function tagEnd(text: string, at: number): { readonly end: number; readonly attributes: number } {
  let attributes = 0;
  for (let index = at + 1; index < text.length; index++) {
    const char = text[index];
    if (char === ">") return { end: index + 1, attributes };
    if (char === "=") attributes++;
    if (char !== '"' && char !== "'") continue;
    const close = text.indexOf(char, index + 1);
    if (close === -1) break;
    index = close;
  }
  return fail("truncated", "the body ends inside a tag", at);
}

function fail(reason: DecodeReason, what: string, offset: number): never {
  throw decodeFailure(reason, `not an XML document at offset ${offset}: ${what}.`);
}
