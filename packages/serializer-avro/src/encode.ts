import { WaybillError } from "@waybill/core";
import { encodeFailure, quoted, type SerializeContext, unwritableKind } from "@waybill/core/serializer";
import type { AvscType } from "./avsc/internals.js";
import { avroName } from "./avsc/type-names.js";
import { valueKind } from "./avsc/value-kind.js";
import { InvalidValue, releaseWriteTap, takeWriteTap, type WriteTap } from "./wire/write-tap.js";

/** Limits of a written body. */
export type WriteLimits = Pick<SerializeContext, "maxDepth" | "maxItemsIn">;

/** Writes a value after a header. Throws an `encodeFailure` that names the path of the first part that does not fit the schema. */
export function writeValue(
  type: AvscType,
  value: unknown,
  { maxDepth, maxItemsIn }: WriteLimits,
  writeHeader?: (tap: WriteTap) => void,
): Uint8Array {
  const tap = takeWriteTap(maxDepth);
  try {
    writeHeader?.(tap);
    type._write(tap, value);
    tap.finish(maxItemsIn);
    return tap.copy();
  } catch (error) {
    throw toEncodeFailure(error, type, value);
  } finally {
    releaseWriteTap(tap);
  }
}

interface Misfit {
  readonly path: string;
  readonly expected: AvscType;
  readonly value: unknown;
}

function toEncodeFailure(error: unknown, type: AvscType, value: unknown): WaybillError {
  if (error instanceof WaybillError) return error;
  if (error instanceof InvalidValue && error.isComplete)
    return encodeFailure(`Avro cannot represent the value: ${error.message}.`);
  if (error instanceof RangeError)
    return encodeFailure("Avro cannot represent the value: it is nested too deeply for the stack.");
  const misfit = findMisfit(type, value);
  // An error thrown by the value's own code may quote the value, so it is not passed on.
  if (misfit === undefined)
    return encodeFailure("Avro cannot represent the value: reading it threw an error.");
  return encodeFailure(
    `The value does not fit the Avro schema: ${misfit.path} ${describe(misfit)} where ${nameOf(misfit.expected)} is expected.`,
  );
}

/** Checks in the order of writing and stops at the first part that does not fit. */
function findMisfit(type: AvscType, value: unknown): Misfit | undefined {
  const path: string[] = [];
  let misfit: Misfit | undefined;
  try {
    type._check(
      value,
      1,
      (part, partType) => {
        misfit = { path: formatPath(path), expected: partType, value: part };
        throw misfit;
      },
      path,
    );
  } catch {
    // Thrown by the hook, or by a getter of the value.
  }
  return misfit;
}

/** Maximum length of a path, and of one step, in an error: keys of maps are payload. */
const maxPathLength = 200;
const maxStepLength = 40;

function formatPath(path: readonly string[]): string {
  const text = path
    .map((step) => (step.length > maxStepLength ? `${step.slice(0, maxStepLength)}…` : step))
    .map((step) => (/^\d+$/.test(step) ? `[${step}]` : step === "*" ? "[*]" : `.${step}`))
    .join("")
    .replace(/^\./, "");
  return text === "" ? "the root" : quoted(text, maxPathLength);
}

function nameOf(type: AvscType): string {
  const name = type.name === undefined ? "" : ` "${avroName(type.name)}"`;
  const kind = type.typeName.replace(/^logical:/, "").replace(/^union:.*/, "a branch of the union");
  return `${kind}${name}`;
}

/** Describes the type of a value, never its content. */
function describe({ value, expected }: Misfit): string {
  if (value === undefined) return "is missing";
  const exotic = typeof value === "object" && value !== null ? unwritableKind(value) : undefined;
  if (exotic !== undefined && !(value instanceof Uint8Array)) return `is an object of kind ${exotic}`;
  const kind = typeof value === "bigint" ? "bigint" : (valueKind(value) ?? typeof value);
  if (kind === "object" && expected.typeName === "record") return "has fields that are not declared";
  if (kind === "object" && expected.typeName === "map")
    return "is not a plain object, or has a key that is not allowed,";
  return `is a value of kind ${kind}`;
}
