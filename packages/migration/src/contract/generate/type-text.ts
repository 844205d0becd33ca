/** Declares the types of one schema under names that begin with that of the whole, in the order in which they were first needed. */
export class Declarations {
  readonly #prefix: string;
  readonly #texts = new Map<string, string>();
  readonly #names = new Map<unknown, string>();

  /** `prefix` is the name of the whole, and `root` what it is the type of. */
  constructor(prefix: string, root: unknown) {
    this.#prefix = prefix;
    this.#names.set(root, prefix);
  }

  /** The name of a declared type; declares it first, unless it was. `of` is what it is the type of; recursive types refer to their name. */
  named(of: unknown, wish: string, text: () => string): string {
    const name = this.#names.get(of) ?? this.#freeName(`${this.#prefix}${typeName(wish)}`);
    this.#names.set(of, name);
    if (this.#texts.has(name)) return name;
    // Its place is before the types inside it.
    this.#texts.set(name, "");
    this.#texts.set(name, text());
    return name;
  }

  toString(): string {
    return [...this.#texts].map(([name, text]) => declaration(name, text)).join("\n");
  }

  #freeName(wish: string): string {
    const taken = new Set(this.#names.values());
    for (let number = 1; ; number++) {
      const name = number === 1 ? wish : `${wish}${number}`;
      if (!taken.has(name)) return name;
    }
  }
}

/** One member of an object type. */
export interface Member {
  readonly name: string;
  readonly type: string;
  readonly isOptional?: boolean | undefined;
  /** A comment above it. */
  readonly doc?: string | undefined;
}

/** An object type. `others` is the type of further members. */
export function objectText(members: readonly Member[], others?: string): string {
  const lines = members.flatMap(({ name, type, isOptional = false, doc }) => [
    ...(doc === undefined ? [] : [`  /** ${doc.replaceAll("*/", "* /").replaceAll(/\s+/g, " ")} */`]),
    `  readonly ${propertyName(name)}${isOptional ? "?" : ""}: ${indented(type)};`,
  ]);
  if (others !== undefined) lines.push(`  readonly [name: string]: ${indented(others)};`);
  return lines.length === 0 ? "{}" : `{\n${lines.join("\n")}\n}`;
}

/** A union without repeats. */
export function unionText(types: readonly string[]): string {
  const several = [...new Set(types)];
  if (several.includes("unknown")) return "unknown";
  return several.length === 0 ? "never" : several.join(" | ");
}

/** A list of items. */
export function listText(item: string): string {
  return /^[\w.]+$/.test(item) ? `readonly ${item}[]` : `ReadonlyArray<${item}>`;
}

/** A type name in Pascal case of any text. */
export function typeName(text: string): string {
  const name = text
    .split(/[^A-Za-z0-9]+/)
    .map((part) => part.slice(0, 1).toUpperCase() + part.slice(1))
    .join("");
  return /^[A-Za-z]/.test(name) ? name : `Type${name}`;
}

function declaration(name: string, text: string): string {
  return text.startsWith("{\n") ? `export interface ${name} ${text}\n` : `export type ${name} = ${text};\n`;
}

function propertyName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
}

function indented(text: string): string {
  return text.replaceAll("\n", "\n  ");
}
