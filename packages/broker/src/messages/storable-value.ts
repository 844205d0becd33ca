import { serialize } from "node:v8";
import { isNested, membersOf } from "./message-size.js";

/** Lists, maps and objects nest no deeper than this, so that whoever writes or reads a value has stack enough. */
export const DEEPEST_NESTING = 100;

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

/** Takes the way of the structured clone algorithm: each object once, where it is met first. */
export function isShallow(value: unknown, depth = 0, seen = new Set<object>()): boolean {
  if (!isNested(value) || seen.has(value)) return true;
  if (depth === DEEPEST_NESTING) return false;
  seen.add(value);
  for (const member of membersOf(value)) if (!isShallow(member, depth + 1, seen)) return false;
  return true;
}
