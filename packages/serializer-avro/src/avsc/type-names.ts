const ownNamespace = "waybill.own.";

/**
 * The full name of a type in the builder, which looks names up in plain objects: one that every object inherits, such as `constructor`, gets a
 * namespace there.
 */
export function builderName(fullName: string): string {
  return fullName in Object.prototype ? ownNamespace + fullName : fullName;
}

/** The full name of a type in Avro, by that in the builder. */
export function avroName(name: string): string {
  return name.startsWith(ownNamespace) ? name.slice(ownNamespace.length) : name;
}
