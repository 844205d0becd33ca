import { isObject } from "@waybill/foundation";

const kinds: ReadonlySet<string> = new Set([
  "AggregateError",
  "Arguments",
  "ArrayBuffer",
  "AsyncGenerator",
  "BigInt",
  "Blob",
  "Boolean",
  "DataView",
  "DOMException",
  "Error",
  "File",
  "FormData",
  "Generator",
  "Headers",
  "Map",
  "Number",
  "Promise",
  "RegExp",
  "Set",
  "SharedArrayBuffer",
  "String",
  "Symbol",
  "URLSearchParams",
  "WeakMap",
  "WeakRef",
  "WeakSet",
]);

/**
 * Names the kind of an object whose content is not in its own properties (`"Map"`, `"Error"`, `"Float64Array"`, `"Blob"`,
 * `"Intl.NumberFormat"` …); `undefined` for an object that a format can write property by property. A serializer refuses such an object
 * instead of writing `{}`. Works across realms. `Date`, plain arrays and class instances are not unwritable.
 */
export function unwritableKind(value: object): string | undefined {
  const kind = Object.prototype.toString.call(value).slice(8, -1);
  if (kind === "Object" || kind === "Array") return value instanceof Error ? "Error" : undefined;
  if (ArrayBuffer.isView(value) || kinds.has(kind)) return kind;
  if (value instanceof Error) return "Error";
  // Objects with a `Symbol.toStringTag` and without properties: a Blob, an iterator, `Intl` and the objects it creates.
  return kind !== "Date" && Object.keys(value).length === 0 ? kind : undefined;
}

/**
 * Names the class of an instance that has no properties of its own but getters on its prototype, for example over private members: copying
 * its properties would lose its content. Undefined for other objects.
 */
export function veiledKind(value: object): string | undefined {
  if (Array.isArray(value) || Object.keys(value).length > 0) return undefined;
  let prototype: unknown = Object.getPrototypeOf(value);
  while (isInherited(prototype)) {
    const members = Object.entries(Object.getOwnPropertyDescriptors(prototype));
    if (members.some(([, { get }]) => get !== undefined)) return nameOfClass(value);
    prototype = Object.getPrototypeOf(prototype);
  }
  return undefined;
}

/** Whether it is a prototype other than `Object.prototype`. */
function isInherited(prototype: unknown): prototype is object {
  return isObject(prototype) && Object.getPrototypeOf(prototype) !== null;
}

function nameOfClass(value: object): string {
  const { constructor: made } = value;
  return typeof made === "function" && made.name !== "" ? made.name.slice(0, 64) : "Object";
}
