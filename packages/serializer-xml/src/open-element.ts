/** An attribute with its name as in the document. */
export interface XmlAttribute {
  readonly name: string;
  readonly value: string;
}

/** An element whose end tag has not been read. */
export class OpenElement {
  readonly name: string;
  readonly #attributes: readonly XmlAttribute[];
  readonly #nilName: string | undefined;
  /** Its own text so far, without that of its children. */
  text = "";
  #hasChildren = false;
  /** The attributes and the children so far. */
  #members: Record<string, unknown> | undefined;
  #repeated: Map<string, unknown[]> | undefined;

  /** `nilName` is the name of the attribute that says that the element is nil. */
  constructor(name: string, attributes: readonly XmlAttribute[], nilName: string | undefined) {
    this.name = name;
    this.#attributes = attributes;
    this.#nilName = nilName;
  }

  /** Adds a child. Those of one name become an array, in their order. */
  add(name: string, item: unknown): void {
    const members = this.members();
    this.#hasChildren = true;
    const list = this.#repeated?.get(name);
    if (list !== undefined) list.push(item);
    else if (!Object.hasOwn(members, name)) members[name] = item;
    else {
      const both = [members[name], item];
      this.#repeated ??= new Map();
      this.#repeated.set(name, both);
      members[name] = both;
    }
  }

  /** The attributes, and the children by name. */
  members(): Record<string, unknown> {
    if (this.#members === undefined) {
      this.#members = {};
      for (const { name, value } of this.#attributes) this.#members[`@${name}`] = value;
    }
    return this.#members;
  }

  /** The text of an element without attributes and children; otherwise an object of its attributes, children and text. */
  value(): unknown {
    const { text } = this;
    if (!this.#hasChildren) {
      if (text === "" && this.#saysOnlyNil()) return null;
      if (this.#attributes.length === 0) return text;
    }
    const members = this.members();
    // White space between elements is only formatting.
    if (this.#hasChildren ? /[^ \t\n\r]/.test(text) : text !== "") members["#text"] = text;
    return members;
  }

  /** A namespace is not an attribute. */
  #saysOnlyNil(): boolean {
    return (
      this.#nilName !== undefined &&
      this.#attributes.every(
        ({ name }) => name === this.#nilName || name === "xmlns" || name.startsWith("xmlns:"),
      )
    );
  }
}
