import type { ApplicationProperties, ReasonCode, Serializer } from "@waybill/core";
import type { ForeignFormat } from "../corpus/foreign-bodies.js";

/** The serializer under test, with what the suite must know about it. */
export interface SerializerSubject {
  /** Creates the serializer; called for every case. */
  create(): Serializer | Promise<Serializer>;
  /**
   * Values to write, each with the expected value or `isRefused`. A self-describing format has the whole table of `selfDescribingValues`; a
   * format with a schema lists values that its schema allows and some that it does not. At least one value must be a non-empty container.
   */
  readonly values: readonly SerializerValue[];
  /** A value with the given text somewhere in it; errors must never repeat the text. */
  marked(marker: string): unknown;
  /** Creates nested values and bodies; `undefined` if the schema fixes the depth. */
  readonly nesting: Nesting | undefined;
  /**
   * Creates a value with a number of items, from 1 to 100,000: all members of its arrays, objects, maps and records at any depth. Without it the
   * items limit is not tested.
   */
  items?(count: number): unknown;
  /** Bodies of the same format that other programs wrote, with their values. */
  readonly bodies?: readonly ForeignlyWrittenBody[];
  /**
   * Bodies that look like the format and must be refused: count bombs after the format's header, forbidden keys, invalid UTF-8, and what its
   * library would accept.
   */
  readonly hostile?: readonly HostileBody[];
  /** Formats of the built-in corpus that the serializer may read without a content type, such as its own. */
  readonly recognises?: readonly ForeignFormat[];
  /**
   * Whether the bodies it writes can be recognised without a content type. Default: unless the detection is `"label"`. `false` for settings that
   * write bodies without evidence, though it recognises others.
   */
  readonly isRecognisable?: boolean;
  /** Whether an empty array or object is evidence of the format: true for text such as `[]`, false for a single byte. Default false. */
  readonly recognisesEmptyContainers?: boolean;
  /**
   * Whether the format has no framing and no containers: part of a body, or two bodies in a row, are a valid body again, as in plain text. The cases
   * about truncated bodies and trailing bytes then only require a quick end.
   */
  readonly isUnframed?: true;
  /** Further properties of the messages. */
  readonly message?: MessageSetting;
}

/** The parts of a message that a serializer may use. */
export interface MessageSetting {
  /** The message type, for serializers that choose the schema by it. */
  readonly messageType?: string;
  /** The content type on the message; by default the written one, or the serializer's first media type. */
  readonly contentType?: string;
  readonly applicationProperties?: ApplicationProperties;
}

/** A value with its expected outcome; by default it must be read back unchanged. */
export interface SerializerValue {
  readonly name: string;
  readonly value: unknown;
  /** The value that reading returns, if it differs. */
  readonly becomes?: { readonly value: unknown };
  /** Writing must fail with `serialization-failed`. */
  readonly isRefused?: true;
  /** Slow to write and read: tested separately, and omitted from cases that use all values. */
  readonly isLarge?: true;
  /** Overrides the subject's own setting. */
  readonly message?: MessageSetting;
}

/**
 * Values and bodies of a given depth. A scalar has depth 0, an array or object is one deeper than its deepest member: `[]` has depth 1,
 * `[[]]` depth 2. Both functions are called with depths of 1 to 200; `bytes` also with 100,000, so it must not recurse.
 */
export interface Nesting {
  value(depth: number): unknown;
  bytes(depth: number): Uint8Array;
}

/** A body of the subject's format that another program wrote. */
export interface ForeignlyWrittenBody {
  /** Names the program and its version. */
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly value: unknown;
  readonly message?: MessageSetting;
}

/** A body that must be refused even if its content type declares the format. */
export interface HostileBody {
  readonly name: string;
  readonly bytes: Uint8Array;
  /** The expected reason, if only one is correct. */
  readonly reason?: ReasonCode;
  readonly message?: MessageSetting;
}
