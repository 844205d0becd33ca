import type { Declaration, XmlElement } from "./xml-element.js";

/** The prefixes that are declared where a document is being read. Each look-up is one step, however many there are. */
export class Prefixes {
  readonly #declared = new Map<string, Declaration>();

  /** The namespace of a prefix, `""` without a default namespace; undefined for an undeclared prefix. */
  namespaceOf(prefix: string): string | undefined {
    const declaration = this.#declared.get(prefix);
    if (declaration !== undefined) return declaration.namespace;
    if (prefix === "xml") return "http://www.w3.org/XML/1998/namespace";
    return prefix === "" ? "" : undefined;
  }

  /** Declares a prefix for an element and its content. Returns whether the element had not declared it before. */
  declare(element: XmlElement, prefix: string, namespace: string): boolean {
    const outer = this.#declared.get(prefix);
    if (outer?.element === element) return false;
    const declaration = { prefix, namespace, element, outer };
    this.#declared.set(prefix, declaration);
    element.declarations ??= [];
    element.declarations.push(declaration);
    return true;
  }

  /** Ends the declarations of an element. */
  leave({ declarations }: XmlElement): void {
    if (declarations === undefined) return;
    for (const { prefix, outer } of declarations) {
      if (outer === undefined) this.#declared.delete(prefix);
      else this.#declared.set(prefix, outer);
    }
  }
}
