import type { JsonSchema } from "@waybill/serializer-json";
import type { JsonSchemaDocument, Keywords } from "./json-schema-document.js";
import { typesOf } from "./json-schema-types.js";

/** Whether no value of the writer's schemas is one of the other schema: by their types, by values, or by a property that both require. */
export function areDisjoint(
  writer: JsonSchemaDocument,
  written: readonly Keywords[],
  document: JsonSchemaDocument,
  other: JsonSchema,
): boolean {
  if (other === false) return true;
  const target = resolved(document, other);
  if (target === undefined) return false;
  const types = typesOf([target]);
  const common = [...typesOf(written)].filter(
    (type) =>
      types.has(type) ||
      (type === "integer" && types.has("number")) ||
      (type === "number" && types.has("integer")),
  );
  if (common.length === 0) return true;
  const values = written.flatMap((each) => listed(each) ?? []);
  if (values.length > 0 && values.every((value) => document.accepts(other, value) === false)) return true;
  const others = listed(target);
  if (others?.every((value) => written.some((each) => writer.accepts(each, value) === false)) === true)
    return true;
  return common.join() === "object" && differInProperty(writer, written, document, target);
}

/** Both require a property, such as a discriminator, whose values differ. */
function differInProperty(
  writer: JsonSchemaDocument,
  written: readonly Keywords[],
  document: JsonSchemaDocument,
  target: Keywords,
): boolean {
  const required = new Set((target.required as readonly string[] | undefined) ?? []);
  const properties = (target.properties ?? {}) as Readonly<Record<string, JsonSchema>>;
  const own = written.flatMap((each) => (each.required as readonly string[] | undefined) ?? []);
  return own.some((name) => {
    const schema = properties[name];
    if (!required.has(name) || schema === undefined) return false;
    const mine = written.flatMap((each) => {
      const found = (each.properties as Readonly<Record<string, JsonSchema>> | undefined)?.[name];
      const keywords = found === undefined ? undefined : resolved(writer, found);
      return keywords === undefined ? [] : [keywords];
    });
    return mine.length > 0 && areDisjoint(writer, mine, document, schema);
  });
}

function resolved(document: JsonSchemaDocument, schema: JsonSchema): Keywords | undefined {
  let keywords = document.restrictions(schema);
  for (let hops = 0; keywords.$ref !== undefined; hops++) {
    const target = document.resolve(String(keywords.$ref));
    if (target === undefined || hops > 16) return undefined;
    keywords = document.restrictions(target);
  }
  return keywords;
}

function listed({ const: only, enum: several }: Keywords): readonly unknown[] | undefined {
  return only === undefined ? (several as readonly unknown[] | undefined) : [only];
}
