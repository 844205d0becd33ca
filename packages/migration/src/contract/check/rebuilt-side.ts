import {
  createPipeline,
  defineMessage,
  type MessageTypeResolver,
  type Pipeline,
  type Serializer,
} from "@waybill/core";
import type { JsonSchema } from "@waybill/serializer-json";
import type { ContractSchema, ContractSerializer, ContractVersion } from "../model/contract.js";
import type { TypeOfService } from "../structure/form-obstacles.js";
import { compiledJsonSchema } from "../structure/json-schema-document.js";

/** What the sides of other deployments are made with: the serializers of this one, which know how to be rebuilt. */
export interface Workshop {
  readonly serializers: readonly Serializer[];
  readonly messageTypeResolver: MessageTypeResolver;
}

/** Schemas that a registry would deliver to a reader. */
export type Registered = readonly ContractSchema[];

/**
 * A pipeline that writes and reads one version of a message type as a contract describes it, without the versions before and after, whose converters
 * are code. `main` names the serializer that writes. Throws `TypeError` for schemas that do not fit together.
 */
export function rebuiltPipeline(
  workshop: Workshop,
  { contract, type }: TypeOfService,
  version: ContractVersion,
  main: string,
  registered: Registered,
): Pipeline {
  const serializers = contract.serializers.flatMap((each) => {
    const serializer = rebuilt(workshop, version, each, registered);
    return serializer === undefined ? [] : [serializer];
  });
  const first = serializers.find(({ name }) => name === main);
  if (first === undefined) throw new TypeError(`The serializer ${main} cannot be rebuilt from the contract.`);
  const { name, aliases } = type;
  const body =
    version.body?.language === "json-schema"
      ? compiledJsonSchema(version.body.schema as JsonSchema)
      : undefined;
  const messageType = defineMessage(name, {
    version: version.version,
    aliases,
    unused: Array.from({ length: version.version - 1 }, (_, index) => index + 1),
    unversioned: version.version,
    schemas: body === undefined ? {} : { [String(version.version)]: body },
  });
  return createPipeline({
    serializer: first,
    additionalDeserializers: serializers.filter((each) => each !== first),
    messageTypes: [messageType],
    messageTypeResolver: workshop.messageTypeResolver,
    // A serializer may lack a schema for this type: the contract has already said so.
    schemas: () => undefined,
    readBack: false,
  });
}

function rebuilt(
  { serializers }: Workshop,
  version: ContractVersion,
  { name, options }: ContractSerializer,
  registered: Registered,
): Serializer | undefined {
  const builder = serializers.find((each) => each.name === name)?.contract;
  if (builder === undefined || options === undefined) return undefined;
  const described = version.schemas[name];
  const schema =
    described?.language === "json-schema"
      ? compiledJsonSchema(described.schema as JsonSchema)
      : described?.schema;
  // Without its schema, such a serializer cannot be made; the form that is tried has one.
  if (described === undefined && name === "protobuf") return undefined;
  return builder.rebuild({
    options,
    schema: described?.language === "code" ? undefined : schema,
    registered: registered.flatMap((each) => (each.schema === undefined ? [] : [each.schema])),
  });
}
