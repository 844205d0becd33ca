import type { StandardSchema, ValidateFunction } from "../contracts/body-schema.js";
import type { Awaitable } from "../contracts/serializer.js";
import type { ConverterContext } from "./message-type.js";
import type { KnownVersion, NextVersion, PreviousVersion, VersionNumber } from "./version-keys.js";

/** The schemas of one version. */
export interface VersionSchemas {
  /** Checks the body in any format: a Standard Schema (zod, valibot …), or a function that returns the value or throws. */
  readonly body?: StandardSchema | ValidateFunction | undefined;
  /** Schemas for single formats by the name of the serializer: a JSON Schema as `json`, an Avro schema as `avro`, and so on. */
  readonly [serializer: string]: unknown;
}

/** The schemas by version; a Standard Schema or a function alone is short for `{ body: … }`. */
export interface SchemasByVersion {
  // String keys, because TypeScript cannot infer the parameters of converters from number keys.
  readonly [version: string]: StandardSchema | ValidateFunction | VersionSchemas;
}

/** Converts a body of one version to another version. */
export type Converter<From, To> = (body: From, context: ConverterContext) => Awaitable<To>;

/** A converter to the next version, or to the version `to`. */
export type ConverterOrTarget<From, To = unknown> =
  | Converter<From, To>
  | { readonly to: number; readonly cast: Converter<From, To> };

/** The argument of `defineMessage`. A missing upcaster, or a converter whose result does not match the next schema, is a compile error. */
export type MessageDefinition<
  Version extends number,
  Schemas extends SchemasByVersion,
  Unused extends number = number,
> = VersionsOptions<Version, Schemas, Unused> & ConverterOptions<Version, Schemas, Unused>;

/** The versions of a definition. */
export interface VersionsOptions<Version extends number, Schemas, Unused extends number> {
  /** The current version, a positive integer: senders write it, and handlers receive it. */
  readonly version: Version;
  /** The schemas of every version that may still be received, by version. */
  readonly schemas?: Schemas | undefined;
  /**
   * The version of messages without a version property. Default: the oldest version that was ever sent, by `schemas` and `removed`. If that is in
   * `removed`, or not known because there are only `unused` versions below the others, such messages are dead-lettered.
   */
  readonly unversioned?: number | undefined;
  /** Versions of which no message was ever sent. */
  readonly unused?: readonly Unused[] | undefined;
  /** Versions that were sent once and are no longer read: their messages are dead-lettered as such, and never read as another version. */
  readonly removed?: readonly Unused[] | undefined;
  /** Other names that older messages of this type may have. */
  readonly aliases?: readonly string[] | undefined;
}

/** The converters between the versions; upcasters are required if there are older versions. */
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

/** The converters when the versions are not known at compile time, or have no schemas. */
export interface OpenConverters {
  /** As {@link CheckedConverters.upcasters}. */
  readonly upcasters?: OpenSteps | undefined;
  /** As {@link CheckedConverters.downcasters}. */
  readonly downcasters?: OpenSteps | undefined;
}

/** Declared as methods, so that converters may declare a narrower type for their parameter. */
interface OpenSteps {
  readonly [version: string]: OpenStep["cast"] | OpenStep | undefined;
}

interface OpenStep {
  readonly to: number;
  cast(body: unknown, context: ConverterContext): unknown;
}

/** The converters, type-checked against the schemas of their source and target versions. */
export interface CheckedConverters<
  Version extends number,
  Schemas extends SchemasByVersion,
  Unused extends number,
> {
  /**
   * Convert bodies of older versions: a function to the next version, `{ to, cast }` to another. An upcaster must not change the body that
   * it receives; it returns a new one, or a promise. If it throws, the message is dead-lettered; after `unavailableFailure` it is read
   * again later.
   */
  readonly upcasters: UpcastersFrom<Version, Schemas, Unused>;
  /** Convert bodies to older versions, for senders that still write them. */
  readonly downcasters?: DowncastersFrom<Version, Schemas, Unused> | undefined;
}

/**
 * The upcasters of a definition by source version: one for each version but the current one. Each receives the output type of the schema of
 * its version and returns that of the next version; the last returns the input type of the current schema.
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

/** The downcasters of a definition by source version. They convert the input type of one schema to that of an older one. */
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

/** A step to the version whose key in `Bodies` is `Next`, or to the version `to`. */
type Upcaster<From, Next, Bodies> =
  | (Next extends keyof Bodies ? Converter<From, Bodies[Next]> : Next)
  | {
      [To in keyof Bodies]: {
        readonly to: VersionNumber<To>;
        readonly cast: Converter<From, Bodies[To]>;
      };
    }[keyof Bodies];

/** The output type of a schema, or of the `body` schema of a version: what handlers receive. */
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

/** The input type of a schema, or of the `body` schema of a version: what senders pass. */
export type InputOf<Schema> =
  Schema extends StandardSchema<infer Input, infer _>
    ? Input
    : Schema extends { readonly body: infer Body extends StandardSchema | ValidateFunction }
      ? InputOf<Body>
      : OutputOf<Schema>;

/** The schema of a version; `unknown` if it has none. */
export type SchemaOf<Schemas, Version extends number | string> = {
  [Key in keyof Schemas & (number | string) as `${Key}`]: Schemas[Key];
} extends infer ByText
  ? `${Version}` extends keyof ByText
    ? ByText[`${Version}`]
    : unknown
  : never;
