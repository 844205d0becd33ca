import { encodeFailure } from "../errors/failure.js";
import { unwritableKind, veiledKind } from "../message/unwritable.js";

/** What a format decides while a value is copied for it. */
export interface PlainRules {
  /** The format's name, for errors. */
  readonly format: string;
  /** What stands for an item. It leaves objects that the format has no form of its own for to `walk.object`. */
  item(item: unknown, walk: PlainWalk): unknown;
  /** What stands for a record: its keys, and what stands for their values. */
  record(entries: [key: string, value: unknown][], walk: PlainWalk): unknown;
}

/** A walk through a value, at one of its items. */
export interface PlainWalk {
  /**
   * What stands for an object: what its `toJSON` returns if it has one (whose own `toJSON` is not asked again, as in `JSON.stringify`), or
   * an array or record of what stands for its items. Properties that are `undefined` are left out.
   */
  object(value: object): unknown;
  /** Throws an `encodeFailure` that says what the present item is, and where. `what` must not quote it. */
  refuse(what: string): never;
}

/** The longest path in an error, in characters. */
const LONGEST_PATH = 256;

/**
 * Copies a value with a decision for each kind of item. Refused by an `encodeFailure` that names the item's path as a JSON pointer
 * (RFC 6901): objects whose content their properties do not tell, such as maps and errors, cycles, nesting beyond `maxDepth` levels, and
 * keys that readers refuse for the sake of prototypes.
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
    const { toJSON } = value as { toJSON?: unknown };
    if (typeof toJSON !== "function") return this.#container(value);
    const json: unknown = toJSON.call(value, String(this.#path.at(-1) ?? ""));
    return typeof json === "object" && json !== null ? this.#container(json) : this.#rules.item(json, this);
  }

  refuse(what: string): never {
    const pointer = this.#path
      .map((step) => `/${String(step).replaceAll("~", "~0").replaceAll("/", "~1")}`)
      .join("");
    const isLong = pointer.length > LONGEST_PATH;
    const path = pointer === "" ? "its root" : isLong ? `${pointer.slice(0, LONGEST_PATH)}…` : pointer;
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
    for (let index = 0; index < value.length; index++) plain.push(this.#at(index, value[index]));
    return plain;
  }

  #record(value: Record<string, unknown>): unknown {
    const entries: [string, unknown][] = [];
    for (const key of Object.keys(value)) {
      const item = value[key];
      if (item === undefined) continue;
      if (key === "__proto__") this.refuse('a key "__proto__", which readers refuse');
      if (key === "prototype" && this.#path.at(-1) === "constructor")
        this.refuse('a key "prototype" under "constructor", which readers refuse');
      entries.push([key, this.#at(key, item)]);
    }
    return this.#rules.record(entries, this);
  }

  #at(step: string | number, item: unknown): unknown {
    this.#path.push(step);
    const plain = this.#rules.item(item, this);
    this.#path.pop();
    return plain;
  }
}
