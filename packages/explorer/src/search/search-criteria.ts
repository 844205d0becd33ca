import type { Fields } from "../wire/fields.js";
import { RequestError } from "../wire/request-error.js";
import { parseJsonPath } from "./json-path.js";

/** What to search for: all that are given must hold. Also what a saved search keeps. */
export interface SearchCriteria {
  /** Where; every queue, subscription and sub-queue without it. */
  readonly entity?: string | undefined;
  /** A text in the body, whatever the case of its letters: in a decoded value's texts and names, else in the bytes. */
  readonly text?: string | undefined;
  /** A path into the decoded body; alone it asks whether it leads somewhere. */
  readonly path?: string | undefined;
  /** What stands there, as text. */
  readonly value?: string | undefined;
  /** A property or application property; alone it asks whether it is there. */
  readonly property?: string | undefined;
  readonly propertyValue?: string | undefined;
  /** The dead-letter reason, or the reason why the chain cannot read it. */
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
  if (entries.every(([name]) => name === "entity")) throw new RequestError(400, "Say what to search for.");
  return criteria;
}
