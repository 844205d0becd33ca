import { encodeFailure } from "../errors/failure.js";
import { unwritableKind, veiledKind } from "../message/unwritable.js";

/** How a format represents values while they are copied for it. */
export interface PlainRules {
  /** The format's name, for errors. */
  readonly format: string;
  /** Returns the plain form of an item. For objects without a form of their own in the format, it returns `walk.object(item)`. */
  item(item: unknown, walk: PlainWalk): unknown;
  /** Returns the plain form of a record from its keys and the plain forms of their values. */
  record(entries: [key: string, value: unknown][], walk: PlainWalk): unknown;
}

/** The position of a walk through a value. */
export interface PlainWalk {
  /**
   * The plain form of an object: the result of its `toJSON` if it has one (whose own `toJSON` is not called again, as in `JSON.stringify`), or
   * an array or record of the plain forms of its items. Properties that are `undefined` are left out.
   */
  object(value: object): unknown;
  /** Throws an `encodeFailure` that names the current item by `what`, and its path. `what` must not quote the item. */
  refuse(what: string): never;
}

/** Maximum length of a path in an error, in characters. */
const maxPathLength = 256;

/**
 * Copies a value by the rules of a format. Throws an `encodeFailure` with the item's path as a JSON pointer (RFC 6901) for objects whose
 * content is not in their properties, such as maps and errors, for properties and `toJSON` that throw, for cycles, for nesting beyond `maxDepth` levels, and for keys such as
 * `__proto__` that readers refuse.
 */
export function toPlain(value: unknown, maxDepth: number, rules: PlainRules): unknown {
  return rules.item(value, new Walk(maxDepth, rules));
}

class Walk implements PlainWalk {
  readonly #maxDepth: number;
  readonly #rules: PlainRules;
  readonly #path: (string | number)[] = [];
  readonly #ancestors: object[] = [];

  constructor(maxDepth: number, rules: PlainRules) {
    this.#maxDepth = maxDepth;
    this.#rules = rules;
  }

  object(value: object): unknown {
    const toJSON = this.#read(value, "toJSON");
    if (typeof toJSON !== "function") return this.#container(value);
    const json = this.#json(value, toJSON as (key: string) => unknown);
    return typeof json === "object" && json !== null ? this.#container(json) : this.#rules.item(json, this);
  }

  refuse(what: string): never {
    const pointer = this.#path
      .map((step) => `/${String(step).replaceAll("~", "~0").replaceAll("/", "~1")}`)
      .join("");
    const isLong = pointer.length > maxPathLength;
    const path = pointer === "" ? "its root" : isLong ? `${pointer.slice(0, maxPathLength)}…` : pointer;
    throw encodeFailure(`The body cannot be written as ${this.#rules.format}: at ${path} is ${what}.`);
  }

  #container(value: object): unknown {
    const kind = unwritableKind(value);
    if (kind !== undefined) this.refuse(`an object of kind ${kind}`);
    const veiled = veiledKind(value);
    if (veiled !== undefined) this.refuse(`an instance of ${veiled}, which keeps its content private`);
    if (this.#ancestors.includes(value)) this.refuse("a cycle");
    if (this.#ancestors.length >= this.#maxDepth) this.refuse(`nesting beyond ${this.#maxDepth} levels`);
    this.#ancestors.push(value);
    const plain = Array.isArray(value) ? this.#array(value) : this.#record(value as Record<string, unknown>);
    this.#ancestors.pop();
    return plain;
  }

  #array(value: readonly unknown[]): unknown[] {
    const plain: unknown[] = [];
    for (let index = 0; index < value.length; index++) plain.push(this.#at(index, this.#read(value, index)));
    return plain;
  }

  #record(value: Record<string, unknown>): unknown {
    const entries: [string, unknown][] = [];
    for (const key of Object.keys(value)) {
      const item = this.#read(value, key);
      if (item === undefined) continue;
      if (key === "__proto__") this.refuse('a key "__proto__", which readers refuse');
      if (key === "prototype" && this.#path.at(-1) === "constructor")
        this.refuse('a key "prototype" under "constructor", which readers refuse');
      entries.push([key, this.#at(key, item)]);
    }
    return this.#rules.record(entries, this);
  }

  /** The value of a property. A getter of the application may throw an error that quotes the body, so that error does not appear. */
  #read(value: object, key: string | number): unknown {
    try {
      return (value as Record<string | number, unknown>)[key];
    } catch {
      this.#path.push(key);
      return this.refuse("a property that throws when it is read");
    }
  }

  #json(value: object, toJSON: (key: string) => unknown): unknown {
    try {
      return toJSON.call(value, String(this.#path.at(-1) ?? ""));
    } catch {
      return this.refuse("an object whose toJSON throws");
    }
  }

  #at(step: string | number, item: unknown): unknown {
    this.#path.push(step);
    const plain = this.#rules.item(item, this);
    this.#path.pop();
    return plain;
  }
}
