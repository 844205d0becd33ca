import type { RuleConstant } from "@waybill/broker";
import { typedConstant } from "@waybill/broker/front-end";
import type { ConfigNode } from "./config-node.js";

/**
 * Reads a value of a rule: text, a number, true or false or, for all other types, an object with the name of a type in XML Schema, as in
 * `{ "type": "dateTime", "value": "2026-11-05T12:00:00Z" }`.
 */
export function readConstant(node: ConfigNode): RuleConstant {
  const { value } = node;
  // The broker compares integers of every AMQP type with bigints.
  if (typeof value === "number") return Number.isSafeInteger(value) ? BigInt(value) : value;
  if (typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value !== "object" || value === null)
    throw node.mustBe("text, a number, true, false or a value with its type");
  const typed = node.withKeys("type", "value");
  try {
    return typedConstant(typed.text("type"), typed.text("value"));
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw node.mustBe(`a value of its type: ${error.message}`);
  }
}

/** The form in a file of a value with its type in XML Schema. */
export function toFileForm(type: string, text: string): unknown {
  switch (type) {
    case "string":
      return text;
    case "boolean":
      return text === "true" || text === "1";
    case "int":
      return Number(text);
    case "double":
      // A whole number would be read as an integer.
      return Number.isInteger(Number(text)) || Number.isNaN(Number(text))
        ? { type, value: text }
        : Number(text);
    default:
      return { type, value: text };
  }
}
