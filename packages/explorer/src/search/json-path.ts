import { isContainer } from "../values/value-tree.js";
import { RequestError } from "../wire/request-error.js";

type Step =
  | { readonly kind: "name"; readonly name: string }
  | { readonly kind: "index"; readonly index: number }
  | { readonly kind: "all" }
  | { readonly kind: "below" };

/** A path into a value: `$.order.lines[0].sku`, `$..sku`, `$.lines[*]['the name']`. Source: RFC 9535 without filters and slices. */
export interface JsonPath {
  readonly text: string;
  readonly steps: readonly Step[];
}

const maxLength = 500;
/** Limits the work of `..`, which visits a value once for each path to it. */
const maxVisits = 200_000;

const stepPattern =
  /(\.\.)|\.?\[\s*(?:(\d{1,9})|(\*)|'([^']*)'|"([^"]*)")\s*\]|\.(\*)|\.?([\p{L}_$][\p{L}\p{N}_$-]*)/uy;

/** Parses a path. Throws `RequestError` if it is invalid. */
export function parseJsonPath(text: string): JsonPath {
  if (!text.startsWith("$") || text.length > maxLength) throw notPath(text);
  const steps: Step[] = [];
  stepPattern.lastIndex = 1;
  while (stepPattern.lastIndex < text.length) {
    const match = stepPattern.exec(text);
    if (match === null) throw notPath(text);
    const [, below, index, star, single, double, dotStar, name] = match;
    if (below !== undefined) steps.push({ kind: "below" });
    else if (index !== undefined) steps.push({ kind: "index", index: Number(index) });
    else if (star !== undefined || dotStar !== undefined) steps.push({ kind: "all" });
    else steps.push({ kind: "name", name: single ?? double ?? name ?? "" });
  }
  return { text, steps };
}

/** Every part of a value that the path selects. */
export function valuesAt(value: unknown, { steps }: JsonPath): unknown[] {
  let found: unknown[] = [value];
  let visitsLeft = maxVisits;
  for (const step of steps) {
    const next: unknown[] = [];
    for (const part of found) {
      for (const child of step.kind === "below"
        ? withDescendants(part, visitsLeft)
        : childrenAt(part, step)) {
        if (visitsLeft-- <= 0) return next;
        next.push(child);
      }
    }
    found = next;
  }
  return found;
}

function childrenAt(part: unknown, step: Exclude<Step, { kind: "below" }>): unknown[] {
  if (!isContainer(part)) return [];
  if (step.kind === "all") return children(part);
  if (step.kind === "index") {
    const list = part instanceof Set ? [...part] : part;
    return Array.isArray(list) && step.index < list.length ? [list[step.index]] : [];
  }
  if (part instanceof Map) return part.has(step.name) ? [part.get(step.name)] : [];
  return Object.hasOwn(part, step.name) && !Array.isArray(part)
    ? [(part as Record<string, unknown>)[step.name]]
    : [];
}

function withDescendants(value: unknown, most: number): unknown[] {
  const all: unknown[] = [value];
  for (let index = 0; index < all.length && all.length < most; index++) {
    const part = all[index];
    if (isContainer(part)) for (const child of children(part)) all.push(child);
  }
  return all;
}

/** The items of a container. */
export function children(part: object): unknown[] {
  if (Array.isArray(part)) return part;
  if (part instanceof Set) return [...part];
  return part instanceof Map ? [...part.values()] : Object.values(part);
}

function notPath(text: string): RequestError {
  return new RequestError(
    400,
    `"${text.slice(0, 80)}" must be a path such as $.order.lines[0].sku or $..sku.`,
  );
}
