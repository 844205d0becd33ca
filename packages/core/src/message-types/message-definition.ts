import type { StandardSchema, ValidateFunction } from "../contracts/body-schema.js";
import type { Awaitable } from "../contracts/serializer.js";
import type { ConverterContext } from "./message-type.js";
import type { KnownVersion, NextVersion, PreviousVersion, VersionNumber } from "./version-keys.js";

/** What the bodies of one version are like. */
export interface VersionSchemas {
  /** Checks the body whatever its format: a Standard Schema (zod, valibot …), or a function that returns the value or throws. */
  readonly body?: StandardSchema | ValidateFunction | undefined;
  /** The schema in a format, under the serializer's name: `json` a JSON Schema, `avro` an Avro schema, and so on. */
  readonly [serializer: string]: unknown;
}

/** The schemas of each version, by its number; a Standard Schema or a function alone stands for `{ body: … }`. */
export interface SchemasByVersion {
  // Of strings, because TypeScript cannot tell the parameters of converters by a number that is a key.
  readonly [version: string]: StandardSchema | ValidateFunction | VersionSchemas;
}

/** Turns a body of one version into one of another. */
export type Converter<From, To> = (body: From, context: ConverterContext) => Awaitable<To>;

/** A converter to the neighbouring version, or to the version it names. */
export type ConverterOrTarget<From, To = unknown> =
  | Converter<From, To>
  | { readonly to: number; readonly cast: Converter<From, To> };

/** What `defineMessage` takes. Without an upcaster, or with a converter whose result does not fit the next schema, it does not compile. */
export type MessageDefinition<
  Version extends number,
  Schemas extends SchemasByVersion,
  Unused extends number = number,
> = VersionsOptions<Version, Schemas, Unused> & ConverterOptions<Version, Schemas, Unused>;

/** The versions of a definition. */
export interface VersionsOptions<Version extends number, Schemas, Unused extends number> {
  /** The current version, a positive integer: the one that is written and that handlers get. */
  readonly version: Version;
  /** Every version that may still be on the wire, by its number. */
  readonly schemas?: Schemas | undefined;
  /** The version of messages that do not say theirs. Default: the oldest. */
  readonly unversioned?: number | undefined;
  /** Versions between the others that were never sent. */
  readonly unused?: readonly Unused[] | undefined;
  /** Names under which older messages of this type may travel. */
  readonly aliases?: readonly string[] | undefined;
}

/** The converters between the versions: upcasters are required as soon as there are older versions. */
export type ConverterOptions<
  Version extends number,
  Schemas extends SchemasByVersion,
  Unused extends number,
> = number extends Version | Unused
  ? OpenConverters
  : string extends keyof Schemas
    ? OpenConverters
    : [Exclude<KnownVersion<Version, Schemas>, `${Version}`>] extends [never]
      ? OpenConverters
      : CheckedConverters<Version, Schemas, Unused>;

/** The converters where the versions are not known when compiling, or have no schemas. */
export interface OpenConverters {
  /** As {@link CheckedConverters.upcasters}. */
  readonly upcasters?: OpenSteps | undefined;
  /** As {@link CheckedConverters.downcasters}. */
  readonly downcasters?: OpenSteps | undefined;
}

/** Methods, so that a converter may say which body it takes. */
interface OpenSteps {
  readonly [version: string]: OpenStep["cast"] | OpenStep | undefined;
}

interface OpenStep {
  readonly to: number;
  cast(body: unknown, context: ConverterContext): unknown;
}

/** The converters, each checked against the schemas of the version it starts from and of the one it leads to. */
export interface CheckedConverters<
  Version extends number,
  Schemas extends SchemasByVersion,
  Unused extends number,
> {
  /**
   * What brings an older version's body up. A function leads to the next version, `to` to another. Pure: an upcaster returns a new body and
   * leaves the one it was given alone; it may answer with a promise. It may throw, which dead-letters the message, or throw
   * `unavailableFailure`, which has it come again later.
   */
  readonly upcasters: UpcastersFrom<Version, Schemas, Unused>;
  /** What brings a newer version's body down, for senders that still write an older version. */
  readonly downcasters?: DowncastersFrom<Version, Schemas, Unused> | undefined;
}

/**
 * The upcasters of a definition, by the version they start from: one for each version but the current one. Each gets what the schema of its
 * version lets out and returns what the next one gets; the last returns what the current schema takes.
 */
export type UpcastersFrom<
  Version extends number,
  Schemas extends SchemasByVersion,
  Unused extends number = never,
> = {
  readonly [From in Exclude<KnownVersion<Version, Schemas>, `${Version}`>]: Upcaster<
    OutputOf<SchemaOf<Schemas, From>>,
    NextVersion<From, KnownVersion<Version, Schemas>, `${Unused}`>,
    {
      [To in Exclude<KnownVersion<Version, Schemas>, From>]: To extends `${Version}`
        ? InputOf<SchemaOf<Schemas, To>>
        : OutputOf<SchemaOf<Schemas, To>>;
    }
  >;
};

/** The downcasters of a definition, by the version they start from. They get what senders give, and return it for an older version. */
export type DowncastersFrom<
  Version extends number,
  Schemas extends SchemasByVersion,
  Unused extends number = never,
> = {
  readonly [From in KnownVersion<Version, Schemas>]?:
    | Upcaster<
        InputOf<SchemaOf<Schemas, From>>,
        PreviousVersion<From, KnownVersion<Version, Schemas>, `${Unused}`>,
        { [To in Exclude<KnownVersion<Version, Schemas>, From>]: InputOf<SchemaOf<Schemas, To>> }
      >
    | undefined;
};

/** A step to the neighbouring version, whose key in `Bodies` is `Next`, or to any other that it names. */
type Upcaster<From, Next, Bodies> =
  | (Next extends keyof Bodies ? Converter<From, Bodies[Next]> : Next)
  | {
      [To in keyof Bodies]: {
        readonly to: VersionNumber<To>;
        readonly cast: Converter<From, Bodies[To]>;
      };
    }[keyof Bodies];

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

/** The schema of a version; unknown where it has none. */
export type SchemaOf<Schemas, Version extends number | string> = {
  [Key in keyof Schemas & (number | string) as `${Key}`]: Schemas[Key];
} extends infer ByText
  ? `${Version}` extends keyof ByText
    ? ByText[`${Version}`]
    : unknown
  : never;
