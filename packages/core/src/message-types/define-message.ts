import {
  type BodyCheck,
  compileValidator,
  isStandardSchema,
  type StandardSchema,
  type ValidateFunction,
} from "../contracts/body-schema.js";
import type { Awaitable } from "../contracts/serializer.js";
import type { ReceivedMessage } from "../message/message.js";
import type { CastContext, MessageType, MessageVersion, VersionStep } from "./message-type.js";
import { downcastWay, upcastWays, type VersionGraph } from "./version-graph.js";

/** What the bodies of one version are like. */
export interface VersionSchemas {
  /** Checks the body whatever its format: a Standard Schema (zod, valibot …), or a function that returns the value or throws. */
  readonly body?: StandardSchema | ValidateFunction | undefined;
  /** The schema in a format, under the serializer's name: `json` a JSON Schema, `avro` an Avro schema, and so on. */
  readonly [serializer: string]: unknown;
}

/** The schemas of each version, by its number; a Standard Schema or a function alone stands for `{ body: … }`. */
export interface SchemasByVersion {
  // Of strings, because TypeScript cannot tell the parameters of casters by a number that is a key.
  readonly [version: string]: StandardSchema | ValidateFunction | VersionSchemas;
}

/** Turns a body of one version into one of another. */
export type Caster<From, To> = (body: From, context: CastContext) => Awaitable<To>;

/** The upcasters of a definition, by the version they start from. A function leads to the next version, `to` to another. */
export type UpcastersFrom<Schemas extends SchemasByVersion> = {
  readonly [From in keyof Schemas]?: CasterOrLeap<OutputOf<Schemas[From]>>;
};

/** The downcasters of a definition, by the version they start from. They get what senders give. */
export type DowncastersFrom<Schemas extends SchemasByVersion> = {
  readonly [From in keyof Schemas]?: CasterOrLeap<InputOf<Schemas[From]>>;
};

/** A caster to the neighbouring version, or to the version it names. */
export type CasterOrLeap<From> =
  | Caster<From, unknown>
  | { readonly to: number; readonly cast: Caster<From, unknown> };

/** What `defineMessage` takes. */
export interface MessageDefinition<Version extends number, Schemas extends SchemasByVersion> {
  /** The current version, a whole number from 1: the one that is written and that handlers get. */
  readonly version: Version;
  /** Every version that may still be on the wire, by its number. */
  readonly schemas?: Schemas | undefined;
  /**
   * What brings an older version's body up. Pure: an upcaster returns a new body and leaves the one it was given alone; it may answer with a
   * promise. It may throw, which dead-letters the message, or throw `unavailableFailure`, which has it come again later.
   */
  readonly upcasters?: UpcastersFrom<NoInfer<Schemas>> | undefined;
  /** What brings a newer version's body down, for senders that still write an older version. */
  readonly downcasters?: DowncastersFrom<NoInfer<Schemas>> | undefined;
  /** The version of messages that do not say theirs. Default: the oldest. */
  readonly unversioned?: number | undefined;
  /** Versions between the others that were never sent. */
  readonly unused?: readonly number[] | undefined;
  /** Names under which older messages of this type may travel. */
  readonly aliases?: readonly string[] | undefined;
}

/** The type that a schema, or the `body` schema of a version, lets out: what handlers get. */
export type OutputOf<Schema> =
  Schema extends StandardSchema<infer _, infer Output>
    ? Output
    : Schema extends (value: unknown) => infer Output
      ? [Exclude<Output, void>] extends [never]
        ? unknown
        : Exclude<Output, void>
      : Schema extends { readonly body: infer Body extends StandardSchema | ValidateFunction }
        ? OutputOf<Body>
        : unknown;

/** The type that a schema, or the `body` schema of a version, takes: what senders give. */
export type InputOf<Schema> =
  Schema extends StandardSchema<infer Input, infer _>
    ? Input
    : Schema extends { readonly body: infer Body extends StandardSchema | ValidateFunction }
      ? InputOf<Body>
      : OutputOf<Schema>;

/**
 * Defines a message type in all its versions. Throws `configuration-invalid` when a version cannot be brought to the current one (a gap, a
 * cycle, a dead end), `TypeError` for values that no program should pass.
 */
export function defineMessage<
  const Name extends string,
  const Version extends number,
  const Schemas extends SchemasByVersion = Record<never, never>,
>(
  name: Name,
  definition: MessageDefinition<Version, Schemas>,
): MessageType<Name, OutputOf<Schemas[Version]>, InputOf<Schemas[Version]>> {
  requireName(name, "a message type");
  const { version, aliases = [] } = definition;
  requireVersion(name, version);
  for (const alias of aliases) requireName(alias, `an alias of "${name}"`);
  const graph = versionGraph(name, definition as MessageDefinition<number, SchemasByVersion>);
  const versions = messageVersions(graph, (definition.schemas ?? {}) as SchemasByVersion);
  const unversioned = definition.unversioned ?? graph.versions[0]!;
  if (!graph.versions.includes(unversioned)) {
    throw new TypeError(
      `defineMessage("${name}"): unversioned names ${unversioned}, which is no version of it.`,
    );
  }
  return Object.freeze({
    name,
    version,
    aliases: Object.freeze([...aliases]),
    unversioned,
    versions,
    message: (body, properties) => ({ ...properties, subject: name, body }),
    is: (message): message is ReceivedMessage => message.deserialization.messageType === name,
  } satisfies MessageType) as MessageType<Name, OutputOf<Schemas[Version]>, InputOf<Schemas[Version]>>;
}

/** A schema that lets everything pass and only says what type it is, for bodies without a schema. */
export function bodyType<Body>(): StandardSchema<Body> {
  return anything as StandardSchema<Body>;
}

const anything: StandardSchema = Object.freeze({
  "~standard": Object.freeze({ version: 1, vendor: "waybill", validate: (value: unknown) => ({ value }) }),
});

function versionGraph(name: string, definition: MessageDefinition<number, SchemasByVersion>): VersionGraph {
  const { version: current, schemas = {}, upcasters = {}, downcasters = {}, unused = [] } = definition;
  const versions = [...new Set([...Object.keys(schemas), ...Object.keys(upcasters), current].map(Number))];
  versions.sort((a, b) => a - b);
  for (const version of [...versions, ...unused]) requireVersion(name, version);
  if (versions.at(-1)! > current) {
    throw new TypeError(
      `defineMessage("${name}"): version ${versions.at(-1)} is newer than the current version ${current}.`,
    );
  }
  return {
    messageType: name,
    current,
    versions,
    unused: new Set(unused),
    upcasts: steps(name, "upcasters", upcasters, (from) => versions[versions.indexOf(from) + 1]),
    downcasts: steps(name, "downcasters", downcasters, (from) => versions[versions.indexOf(from) - 1]),
  };
}

function steps(
  name: string,
  option: "upcasters" | "downcasters",
  casters: Readonly<Record<string, CasterOrLeap<never> | undefined>>,
  neighbour: (from: number) => number | undefined,
): ReadonlyMap<number, VersionStep> {
  const found = new Map<number, VersionStep>();
  for (const [key, caster] of Object.entries(casters)) {
    if (caster === undefined) continue;
    const from = Number(key);
    const { to, cast } = typeof caster === "function" ? { to: neighbour(from), cast: caster } : caster;
    if (typeof cast !== "function") {
      throw new TypeError(`defineMessage("${name}"): ${option}[${key}] must be a function or { to, cast }.`);
    }
    found.set(from, Object.freeze({ from, to: to ?? from, cast: cast as VersionStep["cast"] }));
  }
  return found;
}

function messageVersions(graph: VersionGraph, schemas: SchemasByVersion): readonly MessageVersion[] {
  const ways = upcastWays(graph);
  return Object.freeze(
    graph.versions.map((version) => {
      const upcasts = Object.freeze(ways.get(version)!);
      return Object.freeze({
        version,
        ...versionSchemas(graph.messageType, version, schemas[version]),
        upcasts,
        upcastPath: Object.freeze(upcasts.length === 0 ? [] : [version, ...upcasts.map(({ to }) => to)]),
        downcasts: downcastWay(graph, version),
      });
    }),
  );
}

function versionSchemas(
  name: string,
  version: number,
  given: SchemasByVersion[number] | undefined = {},
): Pick<MessageVersion, "check" | "schemas"> {
  if (isStandardSchema(given) || typeof given === "function") {
    return { check: bodyCheck(given), schemas: Object.freeze({}) };
  }
  if (typeof given !== "object" || given === null) {
    throw new TypeError(
      `defineMessage("${name}"): schemas[${version}] must be a schema or an object of schemas.`,
    );
  }
  const { body, ...schemas } = given;
  return { check: body === undefined ? undefined : bodyCheck(body), schemas: Object.freeze(schemas) };
}

/** A schema that lets everything pass is not worth a call per message. */
function bodyCheck(schema: StandardSchema | ValidateFunction): BodyCheck | undefined {
  return schema === anything ? undefined : compileValidator(schema);
}

function requireName(name: unknown, what: string): void {
  if (typeof name === "string" && name !== "" && name.length <= 128) return;
  throw new TypeError(`The name of ${what} must be a text of 1 to 128 characters.`);
}

function requireVersion(name: string, version: number): void {
  if (Number.isSafeInteger(version) && version >= 1) return;
  throw new TypeError(`defineMessage("${name}"): versions are whole numbers from 1, not ${String(version)}.`);
}
