/** A message type of Protobuf with what decides how its bytes are read. */
export interface ProtobufMessage {
  /** The full name: `shop.v1.Order`. */
  readonly name: string;
  readonly fields: ReadonlyMap<number, ProtobufField>;
  readonly reserved: readonly { readonly start: number; readonly end: number }[];
}

/** One field. */
export interface ProtobufField {
  readonly name: string;
  readonly number: number;
  /** `int32`, `string`, … or `message`, `enum`, `group`, which is also a message between delimiters. */
  readonly type: string;
  readonly isRepeated: boolean;
  readonly isRequired: boolean;
  /** Whether it may be absent although it is no message: `optional`. */
  readonly isOptional: boolean;
  /** The name of the oneof that it is in. */
  readonly oneof: string | undefined;
  /** The type of a field that is a message; its entries if it is a map. */
  readonly message: ProtobufMessage | undefined;
  /** Whether the message is the entry of a map. */
  readonly isMap: boolean;
  readonly values: ProtobufEnum | undefined;
  /** The default of proto2 as the definition writes it; undefined if it is the zero value. */
  readonly default: string | undefined;
  /** Whether integers of 64 bits are texts in JavaScript: `jstype = JS_STRING`. */
  readonly isLongText: boolean;
}

/** The values of an enum. */
export interface ProtobufEnum {
  readonly numbers: readonly number[];
  /** Whether values that it does not have are kept apart, as in proto2. */
  readonly isClosed: boolean;
}

/** The JSON form of the descriptors, as far as it is used. Source: google/protobuf/descriptor.proto. */
interface FileJson {
  readonly package?: string;
  readonly syntax?: string;
  readonly messageType?: readonly MessageJson[];
  readonly enumType?: readonly EnumJson[];
  readonly options?: OptionsJson;
}

interface MessageJson {
  readonly name: string;
  readonly field?: readonly FieldJson[];
  readonly nestedType?: readonly MessageJson[];
  readonly enumType?: readonly EnumJson[];
  readonly oneofDecl?: readonly { readonly name: string }[];
  readonly reservedRange?: readonly { readonly start?: number; readonly end?: number }[];
  readonly options?: OptionsJson & { readonly mapEntry?: boolean };
}

interface FieldJson {
  readonly name: string;
  readonly number: number;
  readonly type: string;
  readonly label?: string;
  readonly typeName?: string;
  readonly oneofIndex?: number;
  readonly proto3Optional?: boolean;
  readonly defaultValue?: string;
  readonly options?: OptionsJson;
}

interface EnumJson {
  readonly name: string;
  readonly value?: readonly { readonly name: string; readonly number?: number }[];
  readonly options?: OptionsJson;
}

interface OptionsJson {
  readonly jstype?: string;
  readonly features?: {
    readonly fieldPresence?: string;
    readonly enumType?: string;
    readonly messageEncoding?: string;
  };
}

/** The types of some files by their full names with a leading dot. */
interface Index {
  readonly messages: Map<string, { readonly json: MessageJson; readonly file: FileJson }>;
  readonly enums: Map<string, ProtobufEnum>;
  /** Types that were made; they may refer to themselves. */
  readonly made: Map<string, ProtobufMessage>;
}

/** The type that a contract describes. Throws `TypeError` if its files lack a type. */
export function protobufTypeOf(described: unknown): ProtobufMessage {
  const { message, files } = described as { readonly message: string; readonly files: readonly FileJson[] };
  const index: Index = { messages: new Map(), enums: new Map(), made: new Map() };
  for (const file of files) addFile(index, file);
  return messageOf(index, `.${message}`);
}

function addFile({ messages, enums }: Index, file: FileJson): void {
  const isProto2 = file.syntax === undefined || file.syntax === "proto2";
  const closed = file.options?.features?.enumType === "CLOSED" || isProto2;
  const addEnum = (scope: string, { name, value = [], options }: EnumJson) => {
    const own = options?.features?.enumType;
    enums.set(`${scope}.${name}`, {
      numbers: value.map(({ number = 0 }) => number),
      isClosed: own === undefined ? closed : own === "CLOSED",
    });
  };
  const addMessage = (scope: string, json: MessageJson) => {
    const name = `${scope}.${json.name}`;
    messages.set(name, { json, file });
    for (const each of json.enumType ?? []) addEnum(name, each);
    for (const each of json.nestedType ?? []) addMessage(name, each);
  };
  const scope = file.package === undefined ? "" : `.${file.package}`;
  for (const each of file.enumType ?? []) addEnum(scope, each);
  for (const each of file.messageType ?? []) addMessage(scope, each);
}

function messageOf(index: Index, name: string): ProtobufMessage {
  const known = index.made.get(name);
  if (known !== undefined) return known;
  const found = index.messages.get(name);
  if (found === undefined)
    throw new TypeError(`The Protobuf type ${name.slice(1)} is not in the files of the contract.`);
  const { json, file } = found;
  const fields = new Map<number, ProtobufField>();
  const message: ProtobufMessage = {
    name: name.slice(1),
    fields,
    reserved: (json.reservedRange ?? []).map(({ start = 0, end = start + 1 }) => ({ start, end })),
  };
  index.made.set(name, message);
  for (const field of json.field ?? []) fields.set(field.number, fieldOf(index, { file, json }, field));
  return message;
}

function fieldOf(
  index: Index,
  owner: { readonly file: FileJson; readonly json: MessageJson },
  json: FieldJson,
): ProtobufField {
  const { name, number, label, typeName = "", oneofIndex, proto3Optional, defaultValue, options } = json;
  const isMap = index.messages.get(typeName)?.json.options?.mapEntry === true;
  const encoding = options?.features?.messageEncoding ?? owner.file.options?.features?.messageEncoding;
  const declared = json.type.replace(/^TYPE_/, "").toLowerCase();
  const type = declared === "message" && encoding === "DELIMITED" && !isMap ? "group" : declared;
  const isMessage = type === "message" || type === "group";
  return {
    name,
    number,
    type,
    isRepeated: label === "LABEL_REPEATED",
    isRequired: label === "LABEL_REQUIRED" || options?.features?.fieldPresence === "LEGACY_REQUIRED",
    isOptional: proto3Optional === true,
    // An optional field of proto3 has a oneof of its own, which only says that its presence is known.
    oneof:
      oneofIndex === undefined || proto3Optional === true
        ? undefined
        : owner.json.oneofDecl?.[oneofIndex]?.name,
    message: isMessage ? messageOf(index, typeName) : undefined,
    isMap,
    values: type === "enum" ? index.enums.get(typeName) : undefined,
    default: isZero(defaultValue) ? undefined : defaultValue,
    isLongText: options?.jstype === "JS_STRING",
  };
}

function isZero(value: string | undefined): boolean {
  return value === "" || value === "false" || (value !== undefined && /^-?0+(?:\.0*)?$/.test(value));
}

/** The field inside a wrapper such as `google.protobuf.Int32Value`, whose value stands for it; undefined for other fields. Source: protobuf-es. */
export function wrappedField({ message, oneof, isRepeated }: ProtobufField): ProtobufField | undefined {
  const isWrapper = /^google\.protobuf\.(?:Double|Float|U?Int(?:32|64)|Bool|String|Bytes)Value$/;
  return oneof === undefined && !isRepeated && message !== undefined && isWrapper.test(message.name)
    ? message.fields.get(1)
    : undefined;
}

/** Whether a field has JSON objects instead of messages. Source: protobuf-es. */
export function isJsonObject({ message }: ProtobufField): boolean {
  return message?.name === "google.protobuf.Struct";
}
