import type { Fields } from "../wire/fields.js";
import { RequestError } from "../wire/request-error.js";
import { parseJsonPath } from "./json-path.js";

/** What to search for: every criterion given must match. Also the content of a saved search. */
export interface SearchCriteria {
  /** The entity to search. Default: every queue, subscription and sub-queue. */
  readonly entity?: string | undefined;
  /** A text in the body, in any letter case: in the strings and field names of a decoded value, else in the bytes. */
  readonly text?: string | undefined;
  /** A path into the decoded body; without `value` it must exist. */
  readonly path?: string | undefined;
  /** The value at the path, as text. */
  readonly value?: string | undefined;
  /** A property or application property; without `propertyValue` it must exist. */
  readonly property?: string | undefined;
  readonly propertyValue?: string | undefined;
  /** The dead-letter reason, or the reason why the message is undeserializable. */
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
  if (entries.every(([name]) => name === "entity"))
    throw new RequestError(400, "Give at least one criterion.");
  return criteria;
}
