import { ByteReader } from "../codec/byte-reader.js";
import type { ByteWriter } from "../codec/byte-writer.js";
import {
  codeOf,
  defineComposite,
  type FieldsOf,
  isDescribed,
  readFields,
  writeComposite,
} from "../codec/composite.js";
import { writeValue } from "../codec/encode.js";
import type { AmqpValue } from "../codec/value.js";

const terminusFields = {
  address: "value",
  durable: "uint",
  expiryPolicy: "symbol",
  timeout: "uint",
  dynamic: "boolean",
  dynamicNodeProperties: "map",
} as const;

const sourceType = defineComposite("source", 0x28, {
  ...terminusFields,
  distributionMode: "symbol",
  filter: "map",
  defaultOutcome: "value",
  outcomes: "symbols",
  capabilities: "symbols",
});
const targetType = defineComposite("target", 0x29, { ...terminusFields, capabilities: "symbols" });
const coordinatorType = defineComposite("coordinator", 0x30, { capabilities: "symbols" });

/** The source of a link (3.5.3). `timeout` is in seconds. */
export type Source = { readonly kind: "source" } & Partial<FieldsOf<typeof sourceType.fields>>;

/** The target of a link (3.5.4). `timeout` is in seconds. */
export type Target = { readonly kind: "target" } & Partial<FieldsOf<typeof targetType.fields>>;

/** The target of a link that controls transactions (4.5.1). */
export type Coordinator = { readonly kind: "coordinator" } & Partial<FieldsOf<typeof coordinatorType.fields>>;

/** The source of an attach; `undefined` if it is null, as in a refusal. Throws `AmqpDecodeError`. */
export function toSource(value: AmqpValue | undefined): Source | undefined {
  if (value === undefined || value === null) return undefined;
  const reader = new ByteReader(new Uint8Array());
  if (!isDescribed(value) || codeOf(value) !== sourceType.code) return reader.fail("a source was expected");
  return { kind: "source", ...readFields(reader, sourceType, value.value) };
}

/** The target of an attach; `undefined` if it is null, as in a refusal. Throws `AmqpDecodeError`. */
export function toTarget(value: AmqpValue | undefined): Target | Coordinator | undefined {
  if (value === undefined || value === null) return undefined;
  const reader = new ByteReader(new Uint8Array());
  if (!isDescribed(value)) return reader.fail("a target was expected");
  switch (codeOf(value)) {
    case targetType.code:
      return { kind: "target", ...readFields(reader, targetType, value.value) };
    case coordinatorType.code:
      return { kind: "coordinator", ...readFields(reader, coordinatorType, value.value) };
    default:
      return reader.fail("a target was expected");
  }
}

/** The address of a terminus if it is a string, which all Service Bus addresses are. */
export function addressOf(terminus: Source | Target | Coordinator | undefined): string | undefined {
  if (!terminus || terminus.kind === "coordinator") return undefined;
  return typeof terminus.address === "string" ? terminus.address : undefined;
}

/** Appends a terminus, or null. */
export function writeTerminus(writer: ByteWriter, terminus: Source | Target | Coordinator | undefined): void {
  if (!terminus) writeValue(writer, null);
  else if (terminus.kind === "source") writeComposite(writer, sourceType, terminus);
  else if (terminus.kind === "target") writeComposite(writer, targetType, terminus);
  else writeComposite(writer, coordinatorType, terminus);
}
