import type { JsonSchema } from "@waybill/serializer-json";
import type { Contract, ContractSchema, ContractType, ContractVersion } from "../model/contract.js";
import { avroTypeOf } from "../structure/avro-type.js";
import { protobufTypeOf } from "../structure/protobuf-type.js";
import { type AvroForm, avroTypeText, messageTypeName } from "./avro-types.js";
import { jsonTypeText } from "./json-types.js";
import { protobufTypeText } from "./protobuf-types.js";
import { Declarations } from "./type-text.js";

const head = "// Written by waybill types from the schemas of the message types. Do not change it by hand.\n";

/**
 * TypeScript types of every version of every message type, as the serializers of the contract deliver its values: `OrderPlacedV1` and so on. The schema of the
 * main serializer counts, else the one of all formats, else the first; a version whose schema is code is `unknown`.
 */
export function typeDeclarations(contract: Contract): string {
  const modules = contract.messageTypes.flatMap((type) =>
    type.versions.map((version) => versionText(contract, type, version)),
  );
  return [head, ...modules].join("\n");
}

function versionText(contract: Contract, type: ContractType, version: ContractVersion): string {
  const root = messageTypeName(type.name, version.version);
  const [serializer, schema] = schemaOf(contract, version);
  const options = {
    // JSON alone has an option for them; other formats deliver every integer as it is.
    ...(serializer === "json" ? {} : { readUnsafeIntegers: "bigint" }),
    ...contract.serializers.find(({ name }) => name === serializer)?.options,
  };
  const text = schema === undefined ? `export type ${root} = unknown;\n` : declared(root, schema, options);
  return `/** "${type.name}", version ${version.version}. */\n${text}`;
}

function schemaOf(
  contract: Contract,
  { schemas, body }: ContractVersion,
): readonly [string, ContractSchema | undefined] {
  const main = contract.serializers[0]?.name ?? "";
  if (schemas[main] !== undefined) return [main, schemas[main]];
  if (body !== undefined) return [main, body];
  return Object.entries(schemas)[0] ?? [main, undefined];
}

function declared(
  root: string,
  { language, schema }: ContractSchema,
  options: Readonly<Record<string, unknown>>,
): string {
  switch (language) {
    case "avro": {
      const type = avroTypeOf((schema as { readonly schema: unknown }).schema);
      const declarations = new Declarations(root, type);
      return whole(declarations, type, avroTypeText(type, declarations, options as AvroForm));
    }
    case "protobuf": {
      const message = protobufTypeOf(schema);
      const declarations = new Declarations(root, message);
      return whole(declarations, message, protobufTypeText(message, declarations));
    }
    case "json-schema": {
      const declarations = new Declarations(root, schema);
      return whole(
        declarations,
        schema,
        jsonTypeText(schema as JsonSchema, declarations, options.readUnsafeIntegers),
      );
    }
    default:
      return `export type ${root} = unknown;\n`;
  }
}

/** All declarations, the whole first; it is declared here unless its schema has already named it. */
function whole(declarations: Declarations, root: unknown, text: string): string {
  declarations.named(root, "", () => text);
  return declarations.toString();
}
