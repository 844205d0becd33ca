import { HttpRefusal } from "../http-refusal.js";
import type { XmlElement } from "../parse-xml.js";
import { buildXml, type XmlNode } from "../xml.js";
import { toTime } from "./entity-fields.js";

const atom = "http://www.w3.org/2005/Atom";

/** An entity as an Atom entry: its address, from which SDKs take its name, its title, and its description. */
export interface AtomEntry {
  readonly id: string;
  readonly title: string;
  /** The namespace, for its queues and topics. */
  readonly author?: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly description: XmlNode;
}

/** An Atom document with one entry. */
export function buildEntry(entry: AtomEntry): string {
  return buildXml(toEntryXml(entry, true));
}

/** An Atom document with many entries; `next` is the address of the next page. */
export function buildFeed(
  self: string,
  title: string,
  updatedAt: Date,
  entries: readonly AtomEntry[],
  next: string | undefined,
): string {
  const link = (rel: string, href: string): XmlNode => ({
    name: "link",
    attributes: { rel, href },
    content: [],
  });
  return buildXml({
    name: "feed",
    attributes: { xmlns: atom },
    content: [
      { name: "title", attributes: { type: "text" }, content: title },
      { name: "id", content: self },
      { name: "updated", content: toTime(updatedAt) },
      // Some SDKs find the next page only next to another link.
      link("self", self),
      ...(next === undefined ? [] : [link("next", next)]),
      ...entries.map((entry) => toEntryXml(entry, false)),
    ],
  });
}

function toEntryXml(entry: AtomEntry, isRoot: boolean): XmlNode {
  const { id, title, author, createdAt, updatedAt, description } = entry;
  return {
    name: "entry",
    ...(isRoot && { attributes: { xmlns: atom } }),
    content: [
      { name: "id", content: id },
      { name: "title", attributes: { type: "text" }, content: title },
      { name: "published", content: toTime(createdAt) },
      { name: "updated", content: toTime(updatedAt) },
      ...(author === undefined ? [] : [{ name: "author", content: [{ name: "name", content: author }] }]),
      { name: "link", attributes: { rel: "self", href: id }, content: [] },
      { name: "content", attributes: { type: "application/xml" }, content: [description] },
    ],
  };
}

/** The description in a request's entry. Throws if it has none of that name. */
export function descriptionIn(entry: XmlElement, name: string): XmlElement {
  const found = entry.child("content")?.child(name);
  if (entry.name !== "entry" || found === undefined) {
    throw new HttpRefusal(400, `The body of the request must be an Atom entry with a ${name}.`);
  }
  return found;
}
