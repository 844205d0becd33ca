import type { XmlAttribute } from "./open-element.js";

/** The namespace of `nil`. Source: XML Schema part 1, 2.6.2. */
const schemaInstance = "http://www.w3.org/2001/XMLSchema-instance";

const nilSuffix = ":nil";

/** A prefix that an element declares, and whether it was bound to the namespace of `nil` outside of the element. */
interface Declared {
  readonly prefix: string;
  readonly wasBound: boolean;
}

/** The prefixes bound to the namespace of `nil`: .NET's serializers write `xsi`, `i` or `d2p1`. */
export class NilPrefixes {
  readonly #bound = new Set<string>();
  readonly #declared: (readonly Declared[] | undefined)[] = [];

  /** Begins an element. Returns the name of the attribute that says that it is nil, if there is one. */
  enter(attributes: readonly XmlAttribute[]): string | undefined {
    let declared: Declared[] | undefined;
    let mayBeNil = false;
    for (const { name, value } of attributes) {
      if (name.startsWith("xmlns:")) {
        declared ??= [];
        declared.push(this.#bind(name.slice("xmlns:".length), value === schemaInstance));
      } else if (name.endsWith(nilSuffix)) mayBeNil = true;
    }
    this.#declared.push(declared);
    // Looked up at the end, because a prefix may be declared after its use.
    return mayBeNil ? attributes.find((attribute) => this.#isNil(attribute))?.name : undefined;
  }

  /** Ends the element. */
  leave(): void {
    for (const { prefix, wasBound } of this.#declared.pop() ?? []) {
      if (wasBound) this.#bound.add(prefix);
      else this.#bound.delete(prefix);
    }
  }

  #isNil({ name, value }: XmlAttribute): boolean {
    return name.endsWith(nilSuffix) && this.#bound.has(name.slice(0, -nilSuffix.length)) && isTrue(value);
  }

  #bind(prefix: string, isBound: boolean): Declared {
    const wasBound = this.#bound.has(prefix);
    if (isBound) this.#bound.add(prefix);
    else this.#bound.delete(prefix);
    return { prefix, wasBound };
  }
}

/** Source: XML Schema part 2, 3.3.2. */
function isTrue(text: string): boolean {
  const value = text.trim();
  return value === "true" || value === "1";
}
