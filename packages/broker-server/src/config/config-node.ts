import { nearestName } from "@waybill/foundation";

/** A value in a configuration file with its path. Keys are found in any letter case. */
export class ConfigNode {
  readonly value: unknown;
  /** Such as `UserConfig.Namespaces[0].Queues[2]`. */
  readonly path: string;
  readonly #file: string;

  constructor(file: string, path: string, value: unknown) {
    this.#file = file;
    this.path = path;
    this.value = value;
  }

  /** This object, once it is certain that it has no other keys than these, and none twice. Throws `TypeError` that names the nearest one. */
  withKeys(...known: readonly string[]): this {
    const found = new Set<string>();
    for (const [key, node] of this.entries()) {
      if (found.has(key.toLowerCase())) throw new TypeError(`${this.#file}: ${node.path} is there twice.`);
      found.add(key.toLowerCase());
      if (known.some((name) => name.toLowerCase() === key.toLowerCase())) continue;
      const nearest = nearestName(key, known);
      const hint = nearest === undefined ? `known are ${known.join(", ")}.` : `did you mean ${nearest}?`;
      throw new TypeError(`${this.#file}: ${node.path} is unknown; ${hint}`);
    }
    return this;
  }

  /** The value of a key; undefined if it is missing or `null`. */
  get(name: string): ConfigNode | undefined {
    const found = this.entries().find(([key]) => key.toLowerCase() === name.toLowerCase());
    return found?.[1].value === null ? undefined : found?.[1];
  }

  /** The items of the array of a key; empty without that key. */
  list(name: string): ConfigNode[] {
    return this.get(name)?.items() ?? [];
  }

  /** The string of a key, which must exist and not be empty. */
  text(name: string): string {
    const node = this.get(name);
    if (typeof node?.value === "string" && node.value !== "") return node.value;
    throw (node ?? this.#child(name)).mustBe("text");
  }

  /** The items of an array. */
  items(): ConfigNode[] {
    if (!Array.isArray(this.value)) throw this.mustBe("an array");
    return this.value.map((item, index) => new ConfigNode(this.#file, `${this.path}[${index}]`, item));
  }

  /** All keys of an object with their values. */
  entries(): [string, ConfigNode][] {
    if (typeof this.value !== "object" || this.value === null || Array.isArray(this.value))
      throw this.mustBe("an object");
    return Object.entries(this.value).map(([key, value]) => [key, this.#child(key, value)]);
  }

  /** An error that names the file and the path. */
  mustBe(expected: string): TypeError {
    return new TypeError(`${this.#file}: ${this.path} must be ${expected}.`);
  }

  #child(name: string, value?: unknown): ConfigNode {
    return new ConfigNode(this.#file, this.path === "" ? name : `${this.path}.${name}`, value);
  }
}
