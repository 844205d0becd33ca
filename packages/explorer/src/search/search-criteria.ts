import type { Fields } from "../wire/fields.js";
import { RequestError } from "../wire/request-error.js";
import { parseJsonPath } from "./json-path.js";
import { expressionIn } from "./needle.js";

/**
 * What to search for: every criterion given must match. Also the content of a saved search. Texts are parts of words, in any letter case; one that is
 * written `/…/` is a regular expression.
 */
export interface SearchCriteria {
  /** The entity to search. Default: every queue, subscription and sub-queue. */
  readonly entity?: string | undefined;
  /** A text anywhere in a message: ids, properties, reasons and descriptions, field names and values of the body. */
  readonly text?: string | undefined;
  /** A path into the decoded body; without `value` it must exist. */
  readonly path?: string | undefined;
  /** The value at the path: a part of a string, the whole of anything else. */
  readonly value?: string | undefined;
  /** A property or application property; without `propertyValue` it must exist. */
  readonly property?: string | undefined;
  /** Its value, as for `value`. */
  readonly propertyValue?: string | undefined;
  /** The dead-letter reason or its description, or the reason why the message is undeserializable. */
  readonly reason?: string | undefined;
}

const names = ["entity", "text", "path", "value", "property", "propertyValue", "reason"] as const;

/** Reads criteria from a query or a file. Throws `RequestError`. */
export function searchCriteria(fields: Fields): SearchCriteria {
  const entries = names.flatMap((name) => {
    const text = fields.optionalText(name);
    return text === undefined ? [] : [[name, text] as const];
  });
  const criteria = Object.fromEntries(entries) as SearchCriteria;
  if (criteria.path !== undefined) parseJsonPath(criteria.path);
  for (const wanted of searchedTexts(criteria)) expressionIn(wanted);
  if (entries.every(([name]) => name === "entity"))
    throw new RequestError(400, "Give at least one criterion.");
  return criteria;
}

/** The texts of criteria that may be regular expressions. */
export function searchedTexts({ text, value, propertyValue, reason }: SearchCriteria): string[] {
  return [text, value, propertyValue, reason].filter((wanted) => wanted !== undefined);
}
