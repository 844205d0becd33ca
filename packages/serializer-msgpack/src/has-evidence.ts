/** With this many keys in one map, and this many bytes of keys with their headers, it is not a coincidence. */
const enough = { keys: 2, bytes: 6 };

/**
 * Whether the keys of an undeclared value show that its bytes are MessagePack. Scalars are no evidence, in arrays of any length: every byte of ASCII is
 * an integer, and a letter of a legacy character set, a length or a tag before them is an array. Nor does a map of one key: in Shift-JIS, `■OK` is
 * one. No other format was found whose bytes read as a map with two keys. Iterative, since values may be nested as deeply as the limit
 * allows.
 */
export function hasEvidence(value: unknown): boolean {
  const open: unknown[] = [value];
  while (open.length > 0) {
    const container = open.pop();
    if (!isContainer(container)) continue;
    if (!Array.isArray(container) && isNamed(Object.keys(container))) return true;
    for (const item of Array.isArray(container) ? container : Object.values(container)) {
      if (isContainer(item)) open.push(item);
    }
  }
  return false;
}

/** Text and binary data of other formats often read as empty or unprintable keys. */
function isNamed(keys: readonly string[]): boolean {
  let count = 0;
  let bytes = 0;
  for (const key of keys) {
    if (key === "" || /\p{Control}/u.test(key)) continue;
    count++;
    bytes += 1 + key.length;
    if (count >= enough.keys && bytes >= enough.bytes) return true;
  }
  return false;
}

function isContainer(value: unknown): value is object {
  return (
    typeof value === "object" && value !== null && !(value instanceof Uint8Array) && !(value instanceof Date)
  );
}
