import { createHash } from "node:crypto";
import type { MessageType, Pipeline, PipelineOptions, Serializer } from "@waybill/core";
import type { MessageVersion } from "@waybill/core/pipeline";
import {
  type DescribedSchema,
  describeSchema,
  type OptionNames,
  requireKnownOptions,
} from "@waybill/core/serializer";
import { canonicalText } from "../../capability/canonical-text.js";
import type {
  Contract,
  ContractChain,
  ContractSchema,
  ContractSerializer,
  ContractType,
  ContractVersion,
  WrittenForm,
} from "./contract.js";
import { sortedForms } from "./sorted-forms.js";

/** What a contract has besides what the pipeline says. */
export interface ContractOptions {
  /** The name of the service. */
  readonly service: string;
  /** The paths of the queues and topics to which it sends. Default: none. */
  readonly sends?: readonly string[] | undefined;
  /** The paths of the queues and subscriptions from which it receives: `orders`, `events/Subscriptions/billing`. Default: none. */
  readonly receives?: readonly string[] | undefined;
  /** What else it writes besides the current versions with the main serializer, by message type: the targets of write plans. Default: none. */
  readonly alsoWrites?: Readonly<Record<string, readonly WrittenForm[]>> | undefined;
  /** The options of the pipeline, for those that matter to other services. Default: they are not known. */
  readonly chain?:
    | Pick<
        PipelineOptions,
        "compression" | "contentEncoding" | "encryption" | "claimCheck" | "maxBodyBytes" | "maxDepth"
      >
    | undefined;
}

const optionNames: OptionNames<ContractOptions> = {
  service: true,
  sends: true,
  receives: true,
  alsoWrites: true,
  chain: true,
};

/** Describes what a service writes and reads. Throws `TypeError` for an invalid option. */
export function contractOf(pipeline: Pipeline, options: ContractOptions): Contract {
  requireKnownOptions("contractOf", options, optionNames);
  const { service, sends = [], receives = [], alsoWrites = {}, chain } = options;
  if (typeof service !== "string" || service === "")
    throw new TypeError("contractOf: service must be the name of the service.");
  return {
    waybillContract: 1,
    service,
    entities: { sends: sends.toSorted(), receives: receives.toSorted() },
    serializers: pipeline.serializers.map(describeSerializer),
    ...(chain === undefined ? {} : { chain: describeChain(chain) }),
    messageTypes: pipeline.messageTypes
      .map(({ name }) => name)
      .sort()
      .flatMap((name) => pipeline.messageTypes.filter((type) => type.name === name))
      .map((type) => describeType(pipeline.serializers, type, alsoWrites[type.name] ?? [])),
  };
}

function describeSerializer({ name, mediaTypes, contract, validation }: Serializer): ContractSerializer {
  return {
    name,
    mediaTypes,
    ...(contract === undefined ? {} : { options: contract.options }),
    ...(validation === "format" ? { needsSchema: true as const } : {}),
  };
}

function describeChain(chain: NonNullable<ContractOptions["chain"]>): ContractChain {
  const { compression, contentEncoding = "undo", encryption, claimCheck, maxBodyBytes, maxDepth } = chain;
  return {
    compression: compression?.coding ?? false,
    contentEncoding,
    isEncrypted: encryption !== undefined,
    hasClaimChecks: claimCheck !== undefined,
    ...(maxBodyBytes === undefined ? {} : { maxBodyBytes }),
    ...(maxDepth === undefined ? {} : { maxDepth }),
  };
}

function describeType(
  serializers: readonly Serializer[],
  type: MessageType,
  alsoWrites: readonly WrittenForm[],
): ContractType {
  const { name, version, aliases, unversioned, removed, versions } = type;
  const [main] = serializers;
  const current = { version, serializer: main?.name ?? "" };
  const isWritten = main?.cannotWrite?.({
    messageType: name,
    messageVersion: version,
    schema: versions.at(-1)?.schemas[main.name],
  });
  return {
    name,
    aliases: aliases.toSorted(),
    version,
    ...(unversioned === undefined ? {} : { unversioned }),
    removed: removed.toSorted((a, b) => a - b),
    writes: sortedForms([...(isWritten === undefined ? [current] : []), ...alsoWrites]),
    versions: versions.map((each) => describeVersion(serializers, name, each)),
  };
}

function describeVersion(
  serializers: readonly Serializer[],
  messageType: string,
  { version, upcastPath, downcasts, bodySchema, schemas }: MessageVersion,
): ContractVersion {
  const described = serializers.flatMap(({ name, contract }) => {
    const schema = contract?.schemaOf({ messageType, messageVersion: version, schema: schemas[name] });
    return schema === undefined ? [] : [[name, contractSchemaOf(schema)] as const];
  });
  return {
    version,
    upcasts: upcastPath.slice(1),
    isWritable: downcasts !== undefined,
    ...(bodySchema === undefined ? {} : { body: contractSchemaOf(describeSchema(bodySchema)) }),
    schemas: Object.fromEntries(described),
  };
}

/** A schema as a contract has it, with its fingerprint. */
export function contractSchemaOf({ language, schema }: DescribedSchema): ContractSchema {
  const text = schema === undefined ? undefined : canonicalText(schema);
  if (text === undefined) return { language: "code" };
  return {
    language,
    fingerprint: createHash("sha256").update(text).digest("hex").slice(0, 16),
    // As a file has it: without members that are undefined.
    schema: JSON.parse(JSON.stringify(schema)),
  };
}
