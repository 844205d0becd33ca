import { type OptionNames, requireKnownOptions } from "@waybill/core/serializer";
import type { CallOptions } from "@waybill/core/transport";
import type { Contract, ContractSchema, ContractType } from "../model/contract.js";
import { contractSchemaOf } from "../model/contract-of.js";
import { parseSchema } from "../model/contract-text.js";
import type { NamedContract } from "./check-contract.js";

/** The part of a schema registry that is used: `confluentSchemaRegistry(…)` and `apicurioRegistry(…)` of `@waybill/schema-registry` have it. */
export interface SchemaVersions {
  /** Names the registry in findings. */
  readonly name: string;
  /** Every schema of a subject, the oldest first; empty if there is no such subject. */
  versionsOf(subject: string, abortSignal: AbortSignal): Promise<readonly SchemaVersion[]>;
}

/** One schema of a subject. */
export interface SchemaVersion {
  readonly id: string;
  readonly definition: string;
  readonly format?: "avro" | "json" | "protobuf" | undefined;
}

/** Which schemas of a registry are those of which messages. */
export interface RegistryContractsOptions extends CallOptions {
  /** The contract of this commit. */
  readonly contract: Contract;
  readonly source: SchemaVersions;
  /** The subject of a version of a message type; undefined for one that has none. Default: the type's name is the subject of its current version. */
  readonly subjectOf?: ((messageType: string, version: number) => string | undefined) | undefined;
}

const optionNames: OptionNames<RegistryContractsOptions> = {
  contract: true,
  source: true,
  subjectOf: true,
  abortSignal: true,
};

/**
 * What was written and read with the schemas of a registry, as contracts to compare with: one for each schema of a subject, the newest first. `.proto` texts are
 * code, of which nothing is decided. Rejects as the registry does; throws `TypeError` for an invalid option.
 */
export async function registryContracts(
  options: RegistryContractsOptions,
): Promise<readonly NamedContract[]> {
  requireKnownOptions("registryContracts", options, optionNames);
  const { contract, source, abortSignal = new AbortController().signal } = options;
  const found: NamedContract[] = [];
  for (const type of contract.messageTypes) {
    const currentSubject = (name: string, version: number) => (version === type.version ? name : undefined);
    const { subjectOf = currentSubject } = options;
    for (const { version } of type.versions) {
      const subject = subjectOf(type.name, version);
      const schemas = subject === undefined ? [] : await source.versionsOf(subject, abortSignal);
      const contracts = schemas.map((schema, index) => ({
        name: `${source.name}, ${subject} version ${index + 1}`,
        contract: { ...contract, messageTypes: [typeWith(type, version, schema)] },
      }));
      found.push(...contracts.reverse());
    }
  }
  return found;
}

/** The type as it was with a registered schema, and nothing else. */
function typeWith(type: ContractType, version: number, schema: SchemaVersion): ContractType {
  const { format = "avro" } = schema;
  return {
    ...type,
    writes: [{ version, serializer: format }],
    versions: [{ version, upcasts: [], isWritable: true, schemas: { [format]: schemaOf(schema) } }],
  };
}

function schemaOf({ id, definition, format = "avro" }: SchemaVersion): ContractSchema {
  if (format === "protobuf") return { language: "code" };
  const schema = parseSchema(definition);
  return format === "json"
    ? contractSchemaOf({ language: "json-schema", schema })
    : contractSchemaOf({ language: "avro", schema: { schema, schemaId: id } });
}
