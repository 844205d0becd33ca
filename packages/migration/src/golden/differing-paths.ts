import type { PortableValue } from "./portable-value.js";

/** Ten differences are enough to show. */
const maxPaths = 10;

/** Where two values differ: at most ten JSON pointers, `(root)` for the values themselves; empty when they are equal. */
export function differingPaths(one: PortableValue, two: PortableValue): string[] {
  const paths: string[] = [];
  compare(one, two, "", paths);
  return paths;
}

function compare(
  one: PortableValue | undefined,
  two: PortableValue | undefined,
  path: string,
  paths: string[],
): void {
  if (one === two || paths.length >= maxPaths) return;
  if (!isContainer(one) || !isContainer(two) || Array.isArray(one) !== Array.isArray(two)) {
    paths.push(path === "" ? "(root)" : path);
    return;
  }
  for (const key of new Set([...Object.keys(one), ...Object.keys(two)])) {
    const step = key.replaceAll("~", "~0").replaceAll("/", "~1");
    compare(own(one, key), own(two, key), `${path}/${step}`, paths);
  }
}

function isContainer(value: PortableValue | undefined): value is Readonly<Record<string, PortableValue>> {
  return typeof value === "object" && value !== null;
}

function own(container: Readonly<Record<string, PortableValue>>, key: string): PortableValue | undefined {
  return Object.hasOwn(container, key) ? container[key] : undefined;
}
