import { readFileSync } from "node:fs";
import { createFileRegistry, fromJson, type JsonValue } from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";

/** A change of a schema, with what its specification says of it. */
export interface CorpusRow {
  readonly change: string;
  readonly old: unknown;
  readonly new: unknown;
  /** Whether the new reader reads all old messages, and the old reader all new ones. */
  readonly backward: Verdict;
  readonly forward: Verdict;
  /** Where waybill's reader is stricter than the specification, and why. */
  readonly backwardHere?: Verdict;
  readonly forwardHere?: Verdict;
  readonly readers?: string;
  /** Directions that the structural proof may leave open. */
  readonly notDecided?: readonly string[];
  /** Incompatible directions for which no value of the writer fails, or shows it. */
  readonly notFoundByValues?: readonly string[];
  readonly source: string;
}

export type Verdict = "compatible" | "incompatible";

/** The rows of `test/contract-corpus/<name>.json`. */
export function corpus(name: string): readonly CorpusRow[] {
  return JSON.parse(
    readFileSync(new URL(`../../test/contract-corpus/${name}.json`, import.meta.url), "utf8"),
  ) as CorpusRow[];
}

const primitives = ["null", "boolean", "int", "long", "float", "double", "bytes", "string"];

/**
 * An Avro schema of the corpus's short form: `R{a:int,b@alias:string="x"}` a record, `[T]` an array, `<T>` a map, `A/B` a union, `E(A|B)=A` an enum with
 * a default, `F#4` a fixed, `long~timestamp-millis` a logical type.
 */
export function avroSchemaOf(text: string): unknown {
  let at = 0;
  const defined = new Set<string>();
  const take = (pattern: RegExp): string => {
    const found = new RegExp(pattern.source, "y");
    found.lastIndex = at;
    const [match] = found.exec(text) ?? [];
    if (match === undefined) throw new Error(`${text}: unexpected at ${at}`);
    at += match.length;
    return match;
  };
  const skip = (token: string): boolean => {
    if (!text.startsWith(token, at)) return false;
    at += token.length;
    return true;
  };
  const type = (): unknown => {
    const branches = [atom()];
    while (skip("/")) branches.push(atom());
    return branches.length === 1 ? branches[0] : branches;
  };
  const atom = (): unknown => {
    if (skip("[")) {
      const items = type();
      take(/\]/);
      return { type: "array", items };
    }
    if (skip("<")) {
      const values = type();
      take(/>/);
      return { type: "map", values };
    }
    const name = take(/[\w.]+/);
    const aliases = skip("@") ? { aliases: [take(/\w+/)] } : {};
    if (primitives.includes(name)) return logical(name);
    if (skip("#")) return { type: "fixed", name, size: Number(take(/\d+/)) };
    if (skip("(")) {
      const symbols = take(/[\w|]+/).split("|");
      take(/\)/);
      return { type: "enum", name, ...aliases, symbols, ...(skip("=") ? { default: take(/\w+/) } : {}) };
    }
    if (defined.has(name)) return name;
    defined.add(name);
    take(/\{/);
    const fields: unknown[] = [];
    while (!skip("}")) {
      const field = { name: take(/\w+/), ...(skip("@") ? { aliases: [take(/\w+/)] } : {}) };
      take(/:/);
      fields.push({
        ...field,
        type: type(),
        ...(skip("=") ? { default: JSON.parse(take(/"[^"]*"|-?\d+|null/)) } : {}),
      });
      skip(",");
    }
    return { type: "record", name, ...aliases, fields };
  };
  const logical = (name: string): unknown => {
    if (!skip("~")) return name;
    const logicalType = take(/[a-z-]+/);
    if (!skip("(")) return { type: name, logicalType };
    const precision = Number(take(/\d+/));
    take(/,/);
    const scale = Number(take(/\d+/));
    take(/\)/);
    return { type: name, logicalType, precision, scale };
  };
  return type();
}

const scalarTypes = /^(?:double|float|u?int(?:32|64)|sint(?:32|64)|s?fixed(?:32|64)|bool|string|bytes)$/;

/** The registry of a `.proto` text without nested types; `proto2` in front of it chooses that syntax. The first message is the root. */
export function protobufOf(text: string) {
  const isProto2 = text.startsWith("proto2 ");
  const messages = [...text.matchAll(/message (\w+) \{((?:[^{}]|\{[^{}]*\})*)\}/g)].map(([, name, body]) => ({
    name: name!,
    body: body!,
  }));
  const enums = [...text.matchAll(/enum (\w+) \{([^}]*)\}/g)].map(([, name, body]) => ({
    name: name!,
    value: [...body!.matchAll(/(\w+) = (\d+);/g)].map(([, value, number]) => ({
      name: `${name}_${value}`,
      number: Number(number),
    })),
  }));
  const typeOf = (name: string) => {
    if (scalarTypes.test(name)) return { type: `TYPE_${name.toUpperCase()}` };
    const isEnum = enums.some((each) => each.name === name);
    return { type: isEnum ? "TYPE_ENUM" : "TYPE_MESSAGE", typeName: `.shop.${name}` };
  };
  const file = {
    name: "shop.proto",
    package: "shop",
    ...(isProto2 ? {} : { syntax: "proto3" }),
    enumType: enums,
    messageType: messages.map(({ name, body }) => messageJson(name, body, typeOf, isProto2)),
  };
  const registry = createFileRegistry(
    fromJson(FileDescriptorSetSchema, { file: [file as unknown as JsonValue] }),
  );
  return { registry, message: `shop.${messages[0]!.name}` };
}

function messageJson(name: string, body: string, typeOf: (name: string) => object, isProto2: boolean) {
  const oneofs: { name: string }[] = [];
  const nested: object[] = [];
  const fields: object[] = [];
  const addFields = (part: string, oneofIndex?: number) => {
    const pattern =
      /(repeated |optional |required )?(map<\w+, \w+>|\w+) (\w+) = (\d+)(?: \[default = (\w+)\])?;/g;
    for (const [, label = "", type, field, number, defaultValue] of part.matchAll(pattern)) {
      const map = /^map<(\w+), (\w+)>$/.exec(type!);
      const entry = `${field![0]!.toUpperCase()}${field!.slice(1)}Entry`;
      if (map !== null) {
        const of = (member: string, no: number) => ({
          name: member,
          number: no,
          label: "LABEL_OPTIONAL",
          ...typeOf(map[no]!),
        });
        nested.push({ name: entry, options: { mapEntry: true }, field: [of("key", 1), of("value", 2)] });
      }
      const hasPresence = label === "optional " && !isProto2;
      if (hasPresence) oneofs.push({ name: `_${field}` });
      fields.push({
        name: field,
        number: Number(number),
        label:
          map !== null || label === "repeated "
            ? "LABEL_REPEATED"
            : label === "required "
              ? "LABEL_REQUIRED"
              : "LABEL_OPTIONAL",
        ...(map === null ? typeOf(type!) : { type: "TYPE_MESSAGE", typeName: `.shop.${name}.${entry}` }),
        ...(oneofIndex === undefined ? {} : { oneofIndex }),
        ...(hasPresence ? { oneofIndex: oneofs.length - 1, proto3Optional: true } : {}),
        ...(defaultValue === undefined ? {} : { defaultValue }),
      });
    }
  };
  for (const [, oneof, members] of body.matchAll(/oneof (\w+) \{([^}]*)\}/g)) {
    oneofs.push({ name: oneof! });
    addFields(members!, oneofs.length - 1);
  }
  addFields(body.replace(/oneof \w+ \{[^}]*\}/g, ""));
  const reservedRange = [...body.matchAll(/reserved (\d+);/g)].map(([, number]) => ({
    start: Number(number),
    end: Number(number) + 1,
  }));
  return { name, field: fields, nestedType: nested, oneofDecl: oneofs, reservedRange };
}
