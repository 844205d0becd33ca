import type { BodyCheck, StandardSchema, ValidateFunction } from "../contracts/body-schema.js";
import type {
  ApplicationProperties,
  Message,
  ReceivedMessage,
  WritableProperties,
} from "../message/message.js";

/** The parts of the message that a converter can use, besides the body. */
export interface ConverterContext {
  readonly applicationProperties: ApplicationProperties;
  /** Aborts when the caller's `abortSignal` does. */
  readonly abortSignal: AbortSignal | undefined;
}

/** A step from one version of a message type to another. */
export interface VersionStep {
  readonly from: number;
  readonly to: number;
  /** The upcaster or downcaster: returns the body of version `to`, or a promise of it. */
  readonly cast: (body: unknown, context: ConverterContext) => unknown;
}

/** One version of a message type, with the steps from it to the current one. */
export interface MessageVersion {
  readonly version: number;
  /** Checks a body of this version in any format, by the `body` schema of the definition. */
  readonly check: BodyCheck | undefined;
  /** That `body` schema itself, for tools that describe it; undefined without one. */
  readonly bodySchema: StandardSchema | ValidateFunction | undefined;
  /** The schemas of this version for single formats, by serializer name. */
  readonly schemas: Readonly<Record<string, unknown>>;
  /** The steps to the current version, in order; none for the current version. */
  readonly upcasts: readonly VersionStep[];
  /** The versions of these steps, including this and the current one; empty for the current version. */
  readonly upcastPath: readonly number[];
  /** The steps from the current version to this one; undefined if no downcasters lead here, so that it cannot be written. */
  readonly downcasts: readonly VersionStep[] | undefined;
}

/** The properties of a typed message; its `subject` is the message type. */
export type TypedMessageProperties = Omit<WritableProperties, "subject">;

/**
 * One kind of message with all versions that may be received, shared by senders and receivers. Created by `defineMessage`. `Body` is what
 * handlers receive, `Input` what senders pass: they differ if the schema transforms.
 */
export interface MessageType<Name extends string = string, Body = unknown, Input = Body> {
  readonly name: Name;
  /** The current version: senders write it, and handlers receive it. */
  readonly version: number;
  /** Other names that older messages of this type may have. */
  readonly aliases: readonly string[];
  /** The version of messages without a version property, which may be a removed one; undefined if the definition does not say it. */
  readonly unversioned: number | undefined;
  /** Versions that were sent once and are no longer read. */
  readonly removed: readonly number[];
  /** Every version that can be read, oldest first. */
  readonly versions: readonly MessageVersion[];
  /**
   * Creates a message of this type for `sendMessages`. It carries this definition, also when it is copied with `{ ...message }`: a sender that
   * does not know the type validates the message and gives it type and version all the same.
   */
  message(body: Input, properties?: TypedMessageProperties): Message<Input>;
  /** Whether a received message was read as one of this type; its body is then of the current version. */
  is(message: Pick<ReceivedMessage, "deserialization">): message is ReceivedMessage<Body>;
  /** Only for types; never set. */
  readonly "~types"?: { readonly body: Body; readonly input: Input } | undefined;
}

/** The body type that handlers of a message type receive. */
export type BodyOf<Type extends MessageType> = NonNullable<Type["~types"]>["body"];
