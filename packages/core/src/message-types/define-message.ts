import { isObject, kindOf, type OptionNames, requireKnownOptions } from "@waybill/foundation";
import {
  compileValidator,
  isStandardSchema,
  type StandardSchema,
  type ValidateFunction,
} from "../contracts/body-schema.js";
import type { ReceivedMessage } from "../message/message.js";
import type {
  ConverterOptions,
  ConverterOrTarget,
  InputOf,
  MessageDefinition,
  OutputOf,
  SchemaOf,
  SchemasByVersion,
  VersionsOptions,
} from "./message-definition.js";
import type { MessageType, MessageVersion, VersionStep } from "./message-type.js";
import { carrying } from "./types-to-send.js";
import { downcastWay, upcastWays, type VersionGraph, versionOfUnversioned } from "./version-graph.js";

/**
 * Defines a message type with all its versions. Throws `configuration-invalid` when a version cannot be converted to the current one (a
 * gap, a cycle, a dead end), `TypeError` for invalid arguments.
 */
export function defineMessage<
  const Name extends string,
  const Version extends number,
  const Schemas extends SchemasByVersion = Record<never, never>,
  const Unused extends number = never,
>(
  name: Name,
  definition: VersionsOptions<Version, Schemas, Unused> &
    ConverterOptions<NoInfer<Version>, NoInfer<Schemas>, NoInfer<Unused>>,
): MessageType<Name, OutputOf<SchemaOf<Schemas, Version>>, InputOf<SchemaOf<Schemas, Version>>> {
  requireName(name, "a message type");
  requireKnownOptions(
    `defineMessage("${name}")`,
    definition as MessageDefinition<number, SchemasByVersion>,
    optionNames,
  );
  const { version, aliases = [] } = definition;
  requireVersion(name, version);
  for (const alias of aliases) requireName(alias, `an alias of "${name}"`);
  const graph = versionGraph(name, definition as MessageDefinition<number, SchemasByVersion>);
  const versions = messageVersions(graph, (definition.schemas ?? {}) as SchemasByVersion);
  const unversioned = versionOfUnversioned(graph, definition.unversioned);
  const type: MessageType = Object.freeze({
    name,
    version,
    aliases: Object.freeze([...aliases]),
    unversioned,
    removed: Object.freeze([...graph.removed]),
    versions,
    message: (body, properties) => carrying({ ...properties, subject: name, body }, type),
    is: (message): message is ReceivedMessage => message.deserialization.messageType === name,
  } satisfies MessageType);
  return type as MessageType<Name, OutputOf<SchemaOf<Schemas, Version>>, InputOf<SchemaOf<Schemas, Version>>>;
}

const optionNames: OptionNames<MessageDefinition<number, SchemasByVersion>> = {
  version: true,
  schemas: true,
  upcasters: true,
  downcasters: true,
  unversioned: true,
  unused: true,
  removed: true,
  aliases: true,
};

/** A schema that accepts everything and only declares a type, for bodies without a schema. */
export function bodyType<Body>(): StandardSchema<Body> {
  return anything as StandardSchema<Body>;
}

const anything: StandardSchema = Object.freeze({
  "~standard": Object.freeze({ version: 1, vendor: "waybill", validate: (value: unknown) => ({ value }) }),
});

function versionGraph(name: string, definition: MessageDefinition<number, SchemasByVersion>): VersionGraph {
  const { version: current, schemas = {}, upcasters = {}, downcasters = {} } = definition;
  const { unused = [], removed = [] } = definition;
  const versions = [...new Set([...Object.keys(schemas), ...Object.keys(upcasters), current].map(Number))];
  versions.sort((a, b) => a - b);
  for (const version of [...versions, ...unused, ...removed]) requireVersion(name, version);
  const newest = Math.max(...versions);
  const isBoth = removed.find((version) => versions.includes(version) || unused.includes(version));
  if (isBoth !== undefined) {
    throw new TypeError(
      `defineMessage("${name}"): version ${isBoth} is in removed, and is also a version of it or in unused.`,
    );
  }
  if (newest > current) {
    throw new TypeError(
      `defineMessage("${name}"): version ${newest} is newer than the current version ${current}.`,
    );
  }
  return {
    messageType: name,
    current,
    versions,
    unused: new Set(unused),
    removed: new Set(removed),
    upcasts: steps(name, "upcasters", upcasters, (from) => versions[versions.indexOf(from) + 1]),
    downcasts: steps(name, "downcasters", downcasters, (from) => versions[versions.indexOf(from) - 1]),
  };
}

function steps(
  name: string,
  option: "upcasters" | "downcasters",
  converters: Readonly<Record<string, ConverterOrTarget<never> | undefined>>,
  neighbour: (from: number) => number | undefined,
): ReadonlyMap<number, VersionStep> {
  const found = new Map<number, VersionStep>();
  for (const [key, converter] of Object.entries(converters)) {
    if (converter === undefined) continue;
    const from = Number(key);
    const { to, cast } =
      typeof converter === "function" ? { to: neighbour(from), cast: converter } : converter;
    if (typeof cast !== "function") {
      throw new TypeError(`defineMessage("${name}"): ${option}[${key}] must be a function or { to, cast }.`);
    }
    found.set(from, Object.freeze({ from, to: to ?? from, cast: cast as VersionStep["cast"] }));
  }
  return found;
}

function messageVersions(graph: VersionGraph, schemas: SchemasByVersion): readonly MessageVersion[] {
  return Object.freeze(
    Array.from(upcastWays(graph), ([version, way]) => {
      const upcasts = Object.freeze(way);
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
): Pick<MessageVersion, "check" | "bodySchema" | "schemas"> {
  if (isStandardSchema(given) || typeof given === "function") {
    return { ...bodyChecks(given), schemas: Object.freeze({}) };
  }
  if (!isObject(given)) {
    throw new TypeError(
      `defineMessage("${name}"): schemas[${version}] must be a schema or an object of schemas.`,
    );
  }
  const { body, ...schemas } = given;
  return { ...bodyChecks(body), schemas: Object.freeze(schemas) };
}

/** Skips a schema that accepts everything, to save a call per message. */
function bodyChecks(
  schema: StandardSchema | ValidateFunction | undefined,
): Pick<MessageVersion, "check" | "bodySchema"> {
  if (schema === undefined || schema === anything) return { check: undefined, bodySchema: undefined };
  return { check: compileValidator(schema), bodySchema: schema };
}

function requireName(name: unknown, what: string): void {
  if (typeof name === "string" && name !== "" && name.length <= 128) return;
  throw new TypeError(`The name of ${what} must be a text of 1 to 128 characters.`);
}

function requireVersion(name: string, version: number): void {
  if (Number.isSafeInteger(version) && version >= 1) return;
  throw new TypeError(
    `defineMessage("${name}"): versions are integers from 1, not ${typeof version === "number" ? version : kindOf(version)}.`,
  );
}
