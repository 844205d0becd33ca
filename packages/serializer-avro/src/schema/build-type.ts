import { GuardedArrayType, GuardedMapType } from "../avsc/collection-types.js";
import {
  type AvscType,
  BooleanType,
  type BuildOptions,
  buildType as buildAvscType,
  DoubleType,
  FloatType,
  NullType,
  withMeaning,
} from "../avsc/internals.js";
import {
  BigIntLongType,
  GuardedBytesType,
  GuardedEnumType,
  GuardedFixedType,
  GuardedIntType,
  GuardedLongType,
  GuardedStringType,
} from "../avsc/primitive-types.js";
import { GuardedRecordType } from "../avsc/record-type.js";
import { avroName } from "../avsc/type-names.js";
import { isAmbiguous, NamedUnionType, PlainUnionType } from "../avsc/union-types.js";
import { DateType, LocalTimestampType, TimestampType } from "../logical/time-types.js";
import { DecimalType, DurationType, UuidType } from "../logical/value-types.js";
import type { LogicalTypeName } from "./logical-type-name.js";

/** The form of values in the application. */
export interface TypeSettings {
  readonly longs: "auto" | "bigint";
  readonly unions: "auto" | "always" | "never";
}

type NodeSchema = Readonly<Record<string, unknown>>;

const types: Readonly<Record<string, new (schema: NodeSchema, options: BuildOptions) => AvscType>> = {
  null: NullType,
  boolean: BooleanType,
  int: GuardedIntType,
  long: GuardedLongType,
  float: FloatType,
  double: DoubleType,
  bytes: GuardedBytesType,
  string: GuardedStringType,
  array: GuardedArrayType,
  map: GuardedMapType,
  enum: GuardedEnumType,
  fixed: GuardedFixedType,
  record: GuardedRecordType,
};

const logicalTypes: Readonly<
  Record<LogicalTypeName, new (name: string, schema: NodeSchema, options: BuildOptions) => AvscType>
> = {
  date: DateType,
  "timestamp-millis": TimestampType,
  "timestamp-micros": TimestampType,
  "local-timestamp-millis": LocalTimestampType,
  "local-timestamp-micros": LocalTimestampType,
  decimal: DecimalType,
  uuid: UuidType,
  duration: DurationType,
};

/** Builds the type of a normalized schema from guarded types throughout. Throws what avsc throws on an invalid default. */
export function buildType(schema: unknown, settings: TypeSettings): AvscType {
  const typeHook = (node: unknown, options: BuildOptions): AvscType | undefined => {
    // avsc looks names up, and calls this again with the definition of a primitive.
    if (typeof node === "string") return undefined;
    if (Array.isArray(node)) return buildUnion(node, settings.unions, options);
    const { logicalType, meaning, ...underlying } = node as NodeSchema;
    if (logicalType !== undefined) {
      const name = logicalType as LogicalTypeName;
      return new logicalTypes[name](name, underlying, options);
    }
    const isBigInt = underlying.type === "long" && settings.longs === "bigint";
    const builder = isBigInt ? BigIntLongType : types[underlying.type as string];
    if (builder === undefined) throw new TypeError(`Avro has no type ${JSON.stringify(underlying.type)}.`);
    return withMeaning(new builder(underlying, options), meaning as string | undefined);
  };
  return buildAvscType(schema, { registry: Object.create(null) as Record<string, AvscType>, typeHook });
}

function buildUnion(
  schemas: readonly unknown[],
  unions: TypeSettings["unions"],
  options: BuildOptions,
): AvscType {
  const branches = schemas.map((schema) => buildAvscType(schema, options));
  if (unions === "always") return new NamedUnionType(branches, options);
  if (!isAmbiguous(branches)) return new PlainUnionType(branches, options);
  if (unions === "auto") return new NamedUnionType(branches, options);
  const names = branches.map(({ branchName = "" }) => avroName(branchName)).join(", ");
  throw new TypeError(
    `the values of the union [${names}] cannot be distinguished without their branch names`,
  );
}
