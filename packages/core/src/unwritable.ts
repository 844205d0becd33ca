const kinds: ReadonlySet<string> = new Set([
  "AggregateError",
  "Arguments",
  "ArrayBuffer",
  "AsyncGenerator",
  "BigInt",
  "Boolean",
  "DataView",
  "DOMException",
  "Error",
  "Generator",
  "Map",
  "Number",
  "Promise",
  "RegExp",
  "Set",
  "SharedArrayBuffer",
  "String",
  "Symbol",
  "WeakMap",
  "WeakRef",
  "WeakSet",
]);

/**
 * Names the built-in kind of an object whose content its own properties do not tell (`"Map"`, `"Error"`, `"Float64Array"` …), or
 * `undefined` for an object that a format can write property by property. A serializer refuses such an object instead of writing
 * `{}`. Works across realms. `Date`, plain arrays and class instances are not unwritable.
 */
export function unwritableKind(value: object): string | undefined {
  if (ArrayBuffer.isView(value)) return kindOf(value);
  if (value instanceof Error) return "Error";
  const kind = kindOf(value);
  return kinds.has(kind) ? kind : undefined;
}

function kindOf(value: object): string {
  return Object.prototype.toString.call(value).slice(8, -1);
}
