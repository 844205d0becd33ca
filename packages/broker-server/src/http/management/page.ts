import { HttpRefusal } from "../http-refusal.js";
import { type HttpRequest, urlOf } from "../http-request.js";

/** The service's default and maximum number of entries per page. */
const maxEntries = 100;

/**
 * Cuts the page given by `$skip` and `$top` (at most 100) out of a list; `next` is the address of the next one, if any. Throws if one is not a
 * number, or negative.
 */
export function pageOf<Item>(request: HttpRequest, all: readonly Item[]) {
  const skip = numberIn(request, "$skip", 0);
  const top = Math.min(numberIn(request, "$top", maxEntries), maxEntries);
  const items = all.slice(skip, skip + top);
  if (skip + items.length >= all.length || top === 0) return { items, next: undefined };
  const query = new URLSearchParams(request.query);
  query.set("$skip", String(skip + items.length));
  query.set("$top", String(top));
  return {
    items,
    next: `${urlOf(request.origin, request.segments)}?${query.toString().replaceAll("%24", "$")}`,
  };
}

function numberIn({ query }: HttpRequest, name: string, byDefault: number): number {
  const text = query.get(name);
  if (text === null) return byDefault;
  const parameter = name.slice(1);
  if (!/^\d{1,15}$/.test(text))
    throw new HttpRefusal(
      400,
      `Parameter '${parameter}' should be non-negative integer.\r\nParameter name: ${parameter}.`,
    );
  return Number(text);
}

/** The version of the management API that a request asks for; the newest without one. */
export function versionOf({ query }: HttpRequest): string {
  return query.get("api-version") ?? "2021-05";
}
