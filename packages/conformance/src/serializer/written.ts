import type { Serializer } from "@waybill/core";
import { fail, messageSetting, write } from "./harness.js";
import type { MessageSetting, SerializerSubject, SerializerValue } from "./serializer-subject.js";

/** One of the subject's values as the subject wrote it. */
export interface Written {
  readonly name: string;
  /** The value that reading must return. */
  readonly value: unknown;
  readonly bytes: Uint8Array;
  readonly contentType: string;
  readonly message: MessageSetting;
  /** Whether the value that reading returns is an array or an object of the format. */
  readonly isContainer: boolean;
  readonly isEmptyContainer: boolean;
}

/** Writes one value of the subject. */
export async function writeValue(
  serializer: Serializer,
  subject: SerializerSubject,
  entry: SerializerValue,
): Promise<Written> {
  const message = messageSetting(subject, entry.message);
  const { bytes, contentType } = await write(serializer, entry.value, message).catch((error: unknown) =>
    fail(`${entry.name} was not written: ${error instanceof Error ? error.message : String(error)}`, error),
  );
  const value = expectedValue(entry);
  const members = memberCount(value);
  return {
    name: entry.name,
    value,
    bytes: bytes.slice(),
    contentType,
    message,
    isContainer: members !== undefined,
    isEmptyContainer: members === 0,
  };
}

/** The expected value when an entry's value is written and read. */
function expectedValue(entry: SerializerValue): unknown {
  return entry.becomes === undefined ? entry.value : entry.becomes.value;
}

/** The entries that the subject can write. */
export function writableValues(subject: SerializerSubject): SerializerValue[] {
  return subject.values.filter((entry) => entry.isRefused !== true);
}

/** The entries that the subject can write quickly, for cases that use all of them. */
export function quickValues(subject: SerializerSubject): SerializerValue[] {
  return writableValues(subject).filter((entry) => entry.isLarge !== true);
}

/** The bodies that the subject writes quickly. */
export async function* quicklyWritten(
  serializer: Serializer,
  subject: SerializerSubject,
): AsyncGenerator<Written> {
  for (const entry of quickValues(subject)) yield await writeValue(serializer, subject, entry);
}

/** The number of members of an array, map or object; undefined for scalars, dates and bytes. */
function memberCount(value: unknown): number | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  if (Array.isArray(value)) return value.length;
  if (value instanceof Map || value instanceof Set) return value.size;
  return Object.prototype.toString.call(value) === "[object Object]" ? Object.keys(value).length : undefined;
}
