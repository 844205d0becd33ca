import { WaybillError } from "@waybill/core";
import type {
  Contract,
  ContractSchema,
  ContractSerializer,
  ContractType,
  ContractVersion,
  WrittenForm,
} from "../model/contract.js";
import { contractSchemaOf } from "../model/contract-of.js";
import { sortedForms } from "../model/sorted-forms.js";
import { type DocumentExtension, extension, type MessageExtension } from "./to-asyncapi.js";

type Json = Readonly<Record<string, unknown>>;

/** How a document is read. */
export interface FromAsyncApiOptions {
  /** What the document is called in errors, such as its file. */
  readonly name: string;
  /** The contract of this commit: its serializers stand for the content types of a document that other tools wrote. */
  readonly own: Contract;
}

/**
 * Reads an AsyncAPI 3 document as a contract, to compare with. What {@link toAsyncApi} wrote is read back as it was. Of others, `send` operations say what is
 * written, a message's name is its type, and `messageVersion` of its headers its version, else 1; schemas in a language that contracts do not have are code.
 * Throws `configuration-invalid` for anything else.
 */
export function fromAsyncApi(document: unknown, { name, own }: FromAsyncApiOptions): Contract {
  const { asyncapi, info } = objectOf(document);
  if (!/^3\./.test(String(asyncapi))) throw invalid(name, "it is not an AsyncAPI 3 document");
  const { title } = objectOf(info);
  if (typeof title !== "string" || title === "") throw invalid(name, "its info has no title");
  const reading = new Reading(document as Json, own);
  const known = objectOf(info)[extension] as DocumentExtension | undefined;
  const messages = reading.messages();
  const names = [...new Set(messages.map((each) => each.type))].sort();
  return {
    waybillContract: 1,
    service: title,
    entities: { sends: reading.addresses("send"), receives: reading.addresses("receive") },
    serializers: known?.serializers ?? reading.serializers(),
    ...(known?.chain === undefined ? {} : { chain: known.chain }),
    messageTypes: names.map((type) =>
      typeOf(
        type,
        messages.filter((each) => each.type === type),
      ),
    ),
  };
}

/** A message of a document. */
interface DocumentMessage {
  readonly type: string;
  readonly form: WrittenForm;
  readonly isWritten: boolean;
  readonly version: ContractVersion;
  /** What the extension says of the type. */
  readonly known: MessageExtension["type"] | undefined;
}

function typeOf(name: string, messages: readonly DocumentMessage[]): ContractType {
  const versions = new Map<number, ContractVersion>();
  for (const { version } of messages) {
    const { schemas } = versions.get(version.version) ?? version;
    versions.set(version.version, { ...version, schemas: { ...schemas, ...version.schemas } });
  }
  const current = Math.max(...versions.keys());
  const known = messages.find((message) => message.known !== undefined)?.known;
  return {
    name,
    ...(known ?? { aliases: [], version: current, removed: [] }),
    writes: sortedForms(messages.filter(({ isWritten }) => isWritten).map(({ form }) => form)),
    versions: [...versions.values()].sort((a, b) => a.version - b.version),
  };
}

/** The parts of one document. */
class Reading {
  readonly #document: Json;
  readonly #own: Contract;

  constructor(document: Json, own: Contract) {
    this.#document = document;
    this.#own = own;
  }

  addresses(action: string): readonly string[] {
    const found = this.#operations(action).map((operation) =>
      String(objectOf(this.#resolve(operation.channel)).address),
    );
    return [...new Set(found)].sort();
  }

  /** Every message, with its first name in the document. */
  messages(): readonly DocumentMessage[] {
    const sent = new Set(this.#operations("send").flatMap((operation) => this.#messagesOf(operation)));
    return [...this.#named()].map(([message, key]) => this.#messageOf(message, key, sent.has(message)));
  }

  /** The serializers of this commit that read the content types of the document; one that is not known describes nothing. */
  serializers(): readonly ContractSerializer[] {
    const found = new Map<string, ContractSerializer>();
    for (const message of this.#named().keys()) {
      const serializer = this.#serializerOf(message);
      found.set(serializer.name, serializer);
    }
    return [...found.values()];
  }

  #named(): ReadonlyMap<Json, string> {
    const { components, channels } = this.#document;
    const found = new Map<Json, string>();
    for (const place of [components, ...Object.values(objectOf(channels))])
      for (const [key, message] of Object.entries(objectOf(objectOf(place).messages))) {
        const resolved = objectOf(this.#resolve(message));
        if (!found.has(resolved)) found.set(resolved, key);
      }
    return found;
  }

  #messageOf(message: Json, key: string, isSent: boolean): DocumentMessage {
    const type = typeof message.name === "string" ? message.name : key;
    const own = message[extension] as MessageExtension | undefined;
    if (own?.version !== undefined)
      return { type, form: own.form, isWritten: own.isWritten, version: own.version, known: own.type };
    const version = versionOf(objectOf(this.#resolve(message.headers)));
    const { name: serializer } = this.#serializerOf(message);
    const schema = this.#schemaOf(message.payload);
    const schemas = schema === undefined ? {} : { [serializer]: schema };
    return {
      type,
      form: { version, serializer },
      isWritten: isSent,
      version: { version, upcasts: [], isWritable: true, schemas },
      known: undefined,
    };
  }

  #serializerOf({ contentType = this.#document.defaultContentType }: Json): ContractSerializer {
    const text = String(contentType ?? "application/json");
    const [mediaType = ""] = text.toLowerCase().split(";");
    const known = this.#own.serializers.find(({ mediaTypes }) => mediaTypes.includes(mediaType.trim()));
    return known ?? { name: text, mediaTypes: [mediaType.trim()] };
  }

  #schemaOf(payload: unknown): ContractSchema | undefined {
    const found = this.#resolve(payload);
    if (found === undefined) return undefined;
    const { schemaFormat, schema } = objectOf(found);
    if (schemaFormat === undefined) return this.#jsonSchemaOf(payload);
    if (/avro/.test(String(schemaFormat))) return contractSchemaOf({ language: "avro", schema: { schema } });
    return /schema\+json|aai\.asyncapi/.test(String(schemaFormat))
      ? this.#jsonSchemaOf(schema)
      : { language: "code" };
  }

  /** AsyncAPI's schemas are those of draft-07, with annotations of its own. */
  #jsonSchemaOf(payload: unknown): ContractSchema {
    const { schemas } = objectOf(this.#document.components);
    const whole = {
      $schema: "http://json-schema.org/draft-07/schema#",
      allOf: [payload],
      ...(schemas === undefined ? {} : { definitions: schemas }),
    };
    return contractSchemaOf({ language: "json-schema", schema: asJsonSchema(whole) });
  }

  #operations(action: string): readonly Json[] {
    return Object.values(objectOf(this.#document.operations))
      .map(objectOf)
      .filter((operation) => operation.action === action);
  }

  #messagesOf({ messages, channel }: Json): readonly Json[] {
    const listed = Array.isArray(messages)
      ? messages
      : Object.values(objectOf(objectOf(this.#resolve(channel)).messages));
    return listed.map((message) => objectOf(this.#resolve(message)));
  }

  /** What a reference refers to, through references; undefined if it is not in the document. */
  #resolve(value: unknown, hops = 0): unknown {
    const { $ref } = objectOf(value);
    if (typeof $ref !== "string" || hops > 16) return value;
    let found: unknown = this.#document;
    for (const step of $ref.split("/").slice(1))
      found = objectOf(found)[decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~")];
    return this.#resolve(found, hops + 1);
  }
}

function versionOf({ properties }: Json): number {
  const { const: version } = objectOf(objectOf(properties).messageVersion);
  return Number.isSafeInteger(version) && Number(version) > 0 ? Number(version) : 1;
}

/** Without annotations of AsyncAPI, and with references to `definitions`. */
function asJsonSchema(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(asJsonSchema);
  if (typeof schema !== "object" || schema === null) return schema;
  const kept = Object.entries(schema).filter(([key]) => !/^(?:x-.*|externalDocs|discriminator)$/.test(key));
  return Object.fromEntries(
    kept.map(([key, value]) => [
      key,
      key === "$ref" && typeof value === "string"
        ? value.replace(/^#\/components\/schemas\//, "#/definitions/")
        : asJsonSchema(value),
    ]),
  );
}

function objectOf(value: unknown): Json {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : {};
}

function invalid(name: string, problem: string): WaybillError {
  return new WaybillError("configuration-invalid", `${name} cannot be read as a contract: ${problem}.`);
}
