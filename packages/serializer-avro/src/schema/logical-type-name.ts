/** The logical types that are converted; the others (`time-millis`, `time-micros`, unknown ones) read as their underlying type. */
export const logicalTypeNames = Object.freeze([
  "date",
  "timestamp-millis",
  "timestamp-micros",
  "local-timestamp-millis",
  "local-timestamp-micros",
  "decimal",
  "uuid",
  "duration",
] as const);

/** One of the logical types that are converted. */
export type LogicalTypeName = (typeof logicalTypeNames)[number];

type Attributes = Readonly<Record<string, unknown>>;

const applies: Readonly<Record<LogicalTypeName, (attributes: Attributes) => boolean>> = {
  date: ({ type }) => type === "int",
  "timestamp-millis": ({ type }) => type === "long",
  "timestamp-micros": ({ type }) => type === "long",
  "local-timestamp-millis": ({ type }) => type === "long",
  "local-timestamp-micros": ({ type }) => type === "long",
  decimal: (attributes) => isDecimal(attributes),
  uuid: ({ type, size }) => type === "string" || (type === "fixed" && size === 16),
  duration: ({ type, size }) => type === "fixed" && size === 12,
};

/** Logical types that are not converted: applications get the number, without its unit. */
const unconverted: ReadonlySet<unknown> = new Set([
  "time-millis",
  "time-micros",
  "timestamp-nanos",
  "local-timestamp-nanos",
]);

/**
 * The meaning of a value that is read as its underlying type: the name of its logical type, with the scale of a decimal. Undefined without a
 * logical type.
 */
export function meaningOf(attributes: Attributes): string | undefined {
  const name = applicableLogicalType(attributes);
  if (name === "decimal") return `decimal of scale ${attributes.scale ?? 0}`;
  return name ?? (unconverted.has(attributes.logicalType) ? (attributes.logicalType as string) : undefined);
}

/**
 * The logical type of a schema, or undefined if it is unknown or does not fit its underlying type, when the Avro specification requires to ignore it.
 * Source: Avro specification 1.12, "Logical Types".
 */
export function applicableLogicalType(attributes: Attributes): LogicalTypeName | undefined {
  const name = logicalTypeNames.find((known) => known === attributes.logicalType);
  return name !== undefined && applies[name](attributes) ? name : undefined;
}

function isDecimal({ type, size, precision, scale = 0 }: Attributes): boolean {
  if (!Number.isInteger(precision) || !Number.isInteger(scale)) return false;
  const digits = precision as number;
  if (digits < 1 || digits > 10_000 || (scale as number) < 0 || (scale as number) > digits) return false;
  if (type === "bytes") return true;
  // The largest precision that a fixed of n bytes holds: floor(log10(2^(8n-1) - 1)).
  return type === "fixed" && digits <= Math.floor(Math.log10(2) * (8 * (size as number) - 1));
}
