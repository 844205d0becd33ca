import {
  isJsonObject,
  type ProtobufField,
  type ProtobufMessage,
  wrappedField,
} from "../structure/protobuf-type.js";
import { localName } from "../values/protobuf-values.js";
import { type Declarations, listText, type Member, objectText, unionText } from "./type-text.js";

/** The TypeScript type of the messages that `protobuf()` delivers, as those of protobuf-es. */
export function protobufTypeText(message: ProtobufMessage, declarations: Declarations): string {
  const name = message.name.split(".").at(-1) ?? message.name;
  return declarations.named(message, name, () => messageText(message, declarations));
}

function messageText({ name, fields }: ProtobufMessage, declarations: Declarations): string {
  const members: Member[] = [{ name: "$typeName", type: JSON.stringify(name) }];
  const oneofs = new Map<string, string[]>();
  for (const field of fields.values()) {
    const type = fieldText(field, declarations);
    if (field.oneof === undefined)
      members.push({ name: localName(field.name), type, isOptional: isAbsent(field) });
    else {
      const choices = oneofs.get(field.oneof) ?? ["{ readonly case: undefined; readonly value?: undefined }"];
      oneofs.set(field.oneof, [
        ...choices,
        `{ readonly case: ${JSON.stringify(localName(field.name))}; readonly value: ${type} }`,
      ]);
    }
  }
  for (const [oneof, choices] of oneofs) members.push({ name: localName(oneof), type: unionText(choices) });
  return objectText(members);
}

/** Whether a field is undefined where it was not written: messages, and what is declared optional. */
function isAbsent({ message, isRepeated, isOptional }: ProtobufField): boolean {
  return !isRepeated && (message !== undefined || isOptional);
}

function fieldText(field: ProtobufField, declarations: Declarations): string {
  if (field.isMap) {
    const value = field.message?.fields.get(2);
    return objectText([], value === undefined ? "unknown" : singleText(value, declarations));
  }
  const single = singleText(field, declarations);
  return field.isRepeated ? listText(single) : single;
}

function singleText(field: ProtobufField, declarations: Declarations): string {
  if (isJsonObject(field)) return objectText([], "unknown");
  const { type, message, isLongText } = wrappedField(field) ?? field;
  if (message !== undefined) return protobufTypeText(message, declarations);
  if (/64$/.test(type)) return isLongText ? "string" : "bigint";
  if (type === "bool") return "boolean";
  if (type === "bytes") return "Uint8Array";
  return type === "string" ? "string" : "number";
}
