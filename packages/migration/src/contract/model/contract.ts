/** What a service writes and reads: the content of a contract file. */
export interface Contract {
  readonly waybillContract: 1;
  /** The name of the service. */
  readonly service: string;
  /** The queues and topics to which it sends, and the queues and subscriptions from which it receives. */
  readonly entities: ContractEntities;
  /** The chain: the main serializer first, then the additional deserializers. */
  readonly serializers: readonly ContractSerializer[];
  /** Options of the chain that matter to other services; undefined if they are not known, for example because only a pipeline was given. */
  readonly chain?: ContractChain | undefined;
  /** Sorted by name. */
  readonly messageTypes: readonly ContractType[];
}

/** The paths of the entities that a service uses, sorted. */
export interface ContractEntities {
  readonly sends: readonly string[];
  readonly receives: readonly string[];
}

/** One serializer of the chain. */
export interface ContractSerializer {
  readonly name: string;
  /** What it reads; it writes the first. */
  readonly mediaTypes: readonly string[];
  /** The options that decide what it writes and reads; undefined for a serializer that does not describe itself. */
  readonly options?: Readonly<Record<string, unknown>> | undefined;
  /** Set if the format itself needs a schema, such as Avro. */
  readonly needsSchema?: true | undefined;
}

/** Options of the chain that matter to other services. */
export interface ContractChain {
  readonly compression: string | false;
  readonly contentEncoding: "undo" | "ignore";
  readonly isEncrypted: boolean;
  readonly hasClaimChecks: boolean;
  readonly maxBodyBytes?: number | undefined;
  readonly maxDepth?: number | undefined;
}

/** One message type. */
export interface ContractType {
  readonly name: string;
  readonly aliases: readonly string[];
  /** The current version. */
  readonly version: number;
  /** The version of messages without one; undefined if there is none. */
  readonly unversioned?: number | undefined;
  /** Versions that were sent once and are no longer read. */
  readonly removed: readonly number[];
  /** What it writes: by default the current version with the main serializer; write plans add more. */
  readonly writes: readonly WrittenForm[];
  /** Every version that it reads, oldest first. */
  readonly versions: readonly ContractVersion[];
}

/** A version of a message type in one format. */
export interface WrittenForm {
  readonly version: number;
  /** The name of a serializer of the chain. */
  readonly serializer: string;
}

/** One version of a message type. */
export interface ContractVersion {
  readonly version: number;
  /** The versions through which it is upcast to the current one; empty for that one. */
  readonly upcasts: readonly number[];
  /** Whether it can be written: it is the current one, or downcasters lead to it. */
  readonly isWritable: boolean;
  /** The schema of bodies in every format. */
  readonly body?: ContractSchema | undefined;
  /** The schemas for single formats, by serializer. */
  readonly schemas: Readonly<Record<string, ContractSchema>>;
}

/** A schema, in the language `"json-schema"`, `"avro"` or `"protobuf"`; or `"code"`, of which nothing else is known. */
export interface ContractSchema {
  readonly language: string;
  /** The first 16 digits of the SHA-256 of its JSON with sorted keys. */
  readonly fingerprint?: string | undefined;
  readonly schema?: unknown;
}
