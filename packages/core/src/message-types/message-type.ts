import type { BodyCheck } from "../contracts/body-schema.js";
import type {
  ApplicationProperties,
  Message,
  ReceivedMessage,
  WritableProperties,
} from "../message/message.js";

/** What a caster may know of the message beside its body. */
export interface CastContext {
  readonly applicationProperties: ApplicationProperties;
  /** Aborts when the caller gave up. */
  readonly signal: AbortSignal | undefined;
}

/** A step from one version of a message type to another. */
export interface VersionStep {
  readonly from: number;
  readonly to: number;
  readonly cast: (body: unknown, context: CastContext) => unknown;
}

/** One version of a message type, and the way from it to the current one. */
export interface MessageVersion {
  readonly version: number;
  /** Checks a body of this version whatever its format; from the `body` schema of the definition. */
  readonly check: BodyCheck | undefined;
  /** The schema of this version in a format, under the serializer's name. */
  readonly schemas: Readonly<Record<string, unknown>>;
  /** The steps to the current version, in order; none for the current version. */
  readonly upcasts: readonly VersionStep[];
  /** The versions on that way, both ends included; empty for the current version. */
  readonly upcastPath: readonly number[];
  /** The steps from the current version to this one; undefined when it cannot be written any more. */
  readonly downcasts: readonly VersionStep[] | undefined;
}

/** The properties of a typed message; its `subject` is the message type. */
export type TypedMessageProperties = Omit<WritableProperties, "subject">;

/**
 * One kind of message in all versions that may be on the wire, shared by those who send and those who receive it. `defineMessage` makes
 * it. `Body` is what handlers get, `Input` what senders give: they differ when the schema transforms.
 */
export interface MessageType<Name extends string = string, Body = unknown, Input = Body> {
  readonly name: Name;
  /** The version that is written and that handlers get. */
  readonly version: number;
  /** Names under which older messages of this type may travel. */
  readonly aliases: readonly string[];
  /** The version of messages that do not say theirs. */
  readonly unversioned: number;
  /** Every version that can be read, oldest first. */
  readonly versions: readonly MessageVersion[];
  /** A message of this type in its current version, ready for `sendMessages`. */
  message(body: Input, properties?: TypedMessageProperties): Message<Input>;
  /** Whether a received message was read as one of this type; its body is then of the current version. */
  is(message: Pick<ReceivedMessage, "deserialization">): message is ReceivedMessage<Body>;
  /** Never set: carries the types. */
  readonly "~types"?: { readonly body: Body; readonly input: Input } | undefined;
}

/** The body that handlers of a message type get. */
export type BodyOf<Type extends MessageType> = NonNullable<Type["~types"]>["body"];
