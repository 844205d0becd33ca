import type { ApplicationProperties, ReasonCode, Serializer } from "@waybill/core";
import type { ForeignFormat } from "../corpus/foreign-bodies.js";

/** What the serializer suite knows of the serializer under test. */
export interface SerializerSubject {
  /** Makes the serializer; every case makes its own. */
  create(): Serializer | Promise<Serializer>;
  /**
   * Values to write, each with what comes back or `isRefused`. A format that describes itself fills in the whole table of
   * `selfDescribingValues`; a format bound to a schema lists what its schema can hold and what it cannot. At least one value must be a
   * container that is not empty.
   */
  readonly values: readonly SerializerValue[];
  /** A value that the format can hold with the given text somewhere in it; errors must never repeat the text. */
  marked(marker: string): unknown;
  /** How deep values of the format can nest; `undefined` when its schema fixes the depth. */
  readonly nesting: Nesting | undefined;
  /**
   * A value of so many items: what stands in its arrays, objects, maps and records, however deep. It is asked for 1 to 100,000. Without it
   * the limit on items is not tried.
   */
  items?(count: number): unknown;
  /** Bodies of the same format that other programs wrote, with the value they stand for. */
  readonly bodies?: readonly ForeignlyWrittenBody[];
  /**
   * Bodies that look like the format and must be refused: count bombs behind the format's own header, forbidden keys, bad UTF-8, what its
   * library would let pass.
   */
  readonly hostile?: readonly HostileBody[];
  /** Formats of the built-in corpus that the serializer rightly reads without a label, its own foremost. */
  readonly recognises?: readonly ForeignFormat[];
  /**
   * Whether the bodies it writes can be recognised without a label. Default: unless the detection is `"label"`. `false` for a setting that
   * writes what only a label names, though it reads more.
   */
  readonly isRecognisable?: boolean;
  /** Whether an empty array or object proves the format: true of text such as `[]`, false of a single byte. Default false. */
  readonly recognisesEmptyContainers?: boolean;
  /**
   * The format has no framing and no containers: part of a body, or two bodies in a row, are a body again, as of plain text. The cases on
   * bodies that end early or go on after their end then ask for a quick end, whichever it is.
   */
  readonly isUnframed?: true;
  /** What else the messages carry while the values travel. */
  readonly message?: MessageSetting;
}

/** The parts of a message that a serializer may look at. */
export interface MessageSetting {
  /** The message type, for serializers whose schema goes by it. */
  readonly messageType?: string;
  /** The content type on the message; by default what the serializer wrote, or its first media type. */
  readonly contentType?: string;
  readonly applicationProperties?: ApplicationProperties;
}

/** A value with what must come of it; it comes back unchanged when nothing else is said. */
export interface SerializerValue {
  readonly name: string;
  readonly value: unknown;
  /** What reading returns instead of the same value. */
  readonly becomes?: { readonly value: unknown };
  /** Writing must fail with `serialization-failed`. */
  readonly isRefused?: true;
  /** Takes long to write and read: it is tried by itself, and left out where a case goes through all values. */
  readonly isLarge?: true;
  /** Overrides the subject's own setting. */
  readonly message?: MessageSetting;
}

/**
 * Values and bodies of a given depth. A scalar has depth 0, an array or object is one deeper than its deepest member: `[]` has depth 1,
 * `[[]]` depth 2. Both functions are asked for depths of 1 to 200; `bytes` also for 100,000, so it must not recurse.
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

/** A body that must be refused even when its content type names the format. */
export interface HostileBody {
  readonly name: string;
  readonly bytes: Uint8Array;
  /** The reason to be given, where only one is right. */
  readonly reason?: ReasonCode;
  readonly message?: MessageSetting;
}
