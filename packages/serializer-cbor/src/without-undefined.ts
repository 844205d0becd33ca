/** A decoded value without `undefined`: members are left out, items of arrays are `null`, as in JSON. Changes arrays in place. */
export function withoutUndefined(value: unknown): unknown {
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value) || value instanceof Date)
    return value;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++)
      value[index] = value[index] === undefined ? null : withoutUndefined(value[index]);
    return value;
  }
  const members: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value))
    if (item !== undefined) members[key] = withoutUndefined(item);
  return members;
}
