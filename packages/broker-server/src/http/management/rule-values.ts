import type { RuleConstant } from "@waybill/broker";
import { typedConstant } from "@waybill/broker/front-end";
import { HttpRefusal } from "../http-refusal.js";
import type { XmlElement } from "../parse-xml.js";

/** Parses a rule's value with its type. Throws an `HttpRefusal` for a text that is not of its type. */
export function fromTypedText(element: XmlElement): RuleConstant {
  const schemaType = localName(element.attribute("type")) ?? "string";
  try {
    return typedConstant(schemaType, element.text);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new HttpRefusal(400, `A property of a filter: ${error.message}`);
  }
}

/** The local part of a qualified name. */
export function localName(name: string | undefined): string | undefined {
  return name?.slice(name.indexOf(":") + 1);
}
