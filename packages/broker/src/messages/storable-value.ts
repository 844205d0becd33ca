import { serialize } from "node:v8";
import { isNested, membersOf } from "./message-size.js";

/** Maximum nesting of lists, maps and objects, so that writing or reading a value does not overflow the stack. */
export const maxNesting = 100;

/** Whether a value can be copied, stored, and read again after a restart. */
export function isStorable(value: unknown): boolean {
  if (!isShallow(value)) return false;
  try {
    serialize(value);
    return true;
  } catch {
    return false;
  }
}

/** Traverses like the structured clone algorithm: each object once, where it is first met. */
export function isShallow(value: unknown, depth = 0, seen = new Set<object>()): boolean {
  if (!isNested(value) || seen.has(value)) return true;
  if (depth === maxNesting) return false;
  seen.add(value);
  for (const member of membersOf(value)) if (!isShallow(member, depth + 1, seen)) return false;
  return true;
}
