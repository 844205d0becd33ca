import { RequestError } from "../wire/request-error.js";

/** Whether a text has what is looked for. */
export type Needle = (text: string) => boolean;

const regularExpression = /^\/(.+)\/([imsu]*)$/s;

/** Looks for a part of a text in any letter case, or for a regular expression: `/^order-\d+$/i`. Throws `RequestError` for an invalid one. */
export function needle(text: string): Needle {
  const expression = expressionIn(text);
  if (expression !== undefined) return (each) => expression.test(each);
  const wanted = text.toLowerCase();
  return (each) => each.toLowerCase().includes(wanted);
}

/** The regular expression that a text is; undefined for one that is taken literally. Throws `RequestError` for an invalid one. */
export function expressionIn(text: string): RegExp | undefined {
  const [, source, flags] = regularExpression.exec(text) ?? [];
  if (source === undefined) return undefined;
  try {
    return new RegExp(source, flags);
  } catch {
    throw new RequestError(400, `${text.slice(0, 80)} is not a regular expression.`);
  }
}
