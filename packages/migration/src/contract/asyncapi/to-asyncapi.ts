import type {
  Contract,
  ContractSchema,
  ContractType,
  ContractVersion,
  WrittenForm,
} from "../model/contract.js";

/** How a contract becomes an AsyncAPI document. */
export interface AsyncApiOptions {
  /** The version of the document. Default: `"1.0.0"`. */
  readonly version?: string | undefined;
  /** The host of the namespace, `shop.servicebus.windows.net`. Default: none, and the document has no servers. */
  readonly host?: string | undefined;
}

type Json = Readonly<Record<string, unknown>>;

/** Under this name stands what AsyncAPI has no place for, so that the document can be read back as the contract. */
export const extension = "x-waybill";

/** The extension of the document's `info`. */
export type DocumentExtension = Pick<Contract, "serializers" | "chain">;

/** The extension of a message. */
export interface MessageExtension {
  readonly type: Omit<ContractType, "name" | "versions" | "writes">;
  readonly version: ContractVersion | undefined;
  readonly form: WrittenForm;
  readonly isWritten: boolean;
}

/**
 * The AsyncAPI 3 document of a contract: a channel for each entity, with the messages that the service sends or receives there. Subscriptions are channels
 * with their path, `events/Subscriptions/billing`. What AsyncAPI has no place for is in `x-waybill`. Source: asyncapi.com, AsyncAPI 3.0.0.
 */
export function toAsyncApi(contract: Contract, { version = "1.0.0", host }: AsyncApiOptions = {}): Json {
  const { service, entities, serializers, chain, messageTypes } = contract;
  const written = messageTypes.flatMap((type) => type.writes.map((form) => ({ type, form })));
  const read = messageTypes.flatMap((type) => readForms(contract, type).map((form) => ({ type, form })));
  const used = [
    ...entities.sends.map((path) => ({ path, action: "send", messages: written })),
    ...entities.receives.map((path) => ({ path, action: "receive", messages: read })),
  ];
  const paths = [...new Set(used.map(({ path }) => path))];
  const messagesAt = (path: string) =>
    used.filter((each) => each.path === path).flatMap(({ messages }) => messages);
  return {
    asyncapi: "3.0.0",
    info: { title: service, version, [extension]: { serializers, chain } satisfies DocumentExtension },
    ...(host === undefined ? {} : { servers: { namespace: { host, protocol: "amqps" } } }),
    channels: Object.fromEntries(
      paths.map((path) => [
        idOf(path),
        {
          address: path,
          messages: Object.fromEntries(
            messagesAt(path).map(({ type, form }) => [
              nameOf(type, form),
              { $ref: `#/components/messages/${nameOf(type, form)}` },
            ]),
          ),
        },
      ]),
    ),
    operations: Object.fromEntries(
      used.map(({ path, action, messages }) => [
        `${action}-${idOf(path)}`,
        {
          action,
          channel: { $ref: `#/channels/${idOf(path)}` },
          messages: messages.map(({ type, form }) => ({
            $ref: `#/channels/${idOf(path)}/messages/${nameOf(type, form)}`,
          })),
        },
      ]),
    ),
    components: {
      messages: Object.fromEntries(
        [...written, ...read].map(({ type, form }) => [nameOf(type, form), messageOf(contract, type, form)]),
      ),
    },
  };
}

/** Every version in every format for which there is a schema, else in the main one. */
function readForms({ serializers }: Contract, { versions }: ContractType): readonly WrittenForm[] {
  return versions.flatMap(({ version, schemas }) => {
    const names = serializers.map(({ name }) => name).filter((name) => Object.hasOwn(schemas, name));
    return (names.length === 0 ? serializers.slice(0, 1).map(({ name }) => name) : names).map(
      (serializer) => ({ version, serializer }),
    );
  });
}

function messageOf(contract: Contract, type: ContractType, form: WrittenForm): Json {
  const { name, versions, writes, ...known } = type;
  const { version, serializer } = form;
  const described = versions.find((each) => each.version === version);
  const contentType = contract.serializers.find((each) => each.name === serializer)?.mediaTypes[0];
  const payload = payloadOf(described?.schemas[serializer] ?? described?.body);
  const isWritten = writes.some((each) => each.version === version && each.serializer === serializer);
  return {
    name,
    title: `${name} version ${version}`,
    contentType,
    ...(payload === undefined ? {} : { payload }),
    // The version tells messages of one channel apart; AsyncAPI wants exactly one that matches.
    headers: {
      type: "object",
      properties: { messageVersion: { const: version } },
      required: ["messageVersion"],
    },
    [extension]: { type: known, version: described, form, isWritten } satisfies MessageExtension,
  };
}

/** Protobuf has no schema in AsyncAPI but the text of a `.proto` file, which a contract does not have. */
function payloadOf(schema: ContractSchema | undefined): unknown {
  if (schema?.language === "json-schema") return schema.schema;
  if (schema?.language !== "avro") return undefined;
  return {
    schemaFormat: "application/vnd.apache.avro;version=1.9.0",
    schema: (schema.schema as { readonly schema: unknown }).schema,
  };
}

function idOf(path: string): string {
  return path.replaceAll(/[^A-Za-z0-9_-]+/g, "-");
}

function nameOf({ name }: ContractType, { version, serializer }: WrittenForm): string {
  return `${idOf(name)}-v${version}-${serializer}`;
}
