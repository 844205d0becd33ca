import { isObject, quoted, required } from "@waybill/foundation";
import type { Serializer } from "../contracts/serializer.js";
import { encodeFailure } from "../errors/failure.js";
import type { Message } from "../message/message.js";
import type { MessageType } from "./message-type.js";
import {
  createRegistry,
  type MessageTypeOptions,
  type MessageTypeRegistry,
} from "./message-type-registry.js";

/** A registered symbol, so that two installed copies of this package understand each other. */
const definition = Symbol.for("waybill.message-type");

type Carrier = { readonly [definition]?: MessageType };

/** A message that carries the definition it was made with. It is enumerable, so that copies of the message carry it, too. */
export function carrying<Carrier extends Message>(message: Carrier, type: MessageType): Carrier {
  return { ...message, [definition]: type };
}

/** Whether a value is a message that `message` of a message type made, or a copy of one. */
export function isTypedMessage(value: unknown): value is Message {
  return isObject(value) && Object.hasOwn(value, definition);
}

/** Whether a message carries a definition. Every message to send is asked. */
export function carriesType(message: Message): boolean {
  return (message as Carrier)[definition] !== undefined;
}

/** The definition that a message carries, if its subject still names that type. */
function carriedBy(message: Message): MessageType | undefined {
  const type = (message as Carrier)[definition];
  return type !== undefined && type.name === message.subject ? type : undefined;
}

/** The message types with which messages are sent: those of the pipeline, and the one that a message carries. */
export class TypesToSend {
  readonly #options: MessageTypeOptions;
  readonly #serializers: readonly Serializer[];
  readonly #own: MessageTypeRegistry | undefined;
  readonly #carried = new WeakMap<MessageType, MessageTypeRegistry>();

  constructor(
    options: MessageTypeOptions,
    serializers: readonly Serializer[],
    own: MessageTypeRegistry | undefined,
  ) {
    this.#options = options;
    this.#serializers = serializers;
    this.#own = own;
  }

  /** Undefined for an untyped message. Throws `encodeFailure` for a message of another version of a type than the pipeline's. */
  of(message: Message): MessageTypeRegistry | undefined {
    const type = carriedBy(message);
    if (type === undefined) return this.#own;
    const { messageTypes = [] } = this.#options;
    const own = messageTypes.find(({ name, aliases }) => name === type.name || aliases.includes(type.name));
    if (own === undefined) return this.#with(type);
    if (own.version === type.version) return this.#own;
    throw encodeFailure(
      `the message was made as version ${type.version} of ${quoted(type.name)}, and this client knows another definition, of version ` +
        `${own.version}; give both the same definition.`,
    );
  }

  #with(type: MessageType): MessageTypeRegistry {
    const known = this.#carried.get(type);
    if (known !== undefined) return known;
    const { messageTypes = [] } = this.#options;
    const options = { ...this.#options, messageTypes: [...messageTypes, type] };
    const registry = required(createRegistry(options, this.#serializers), "The registry of a message type");
    this.#carried.set(type, registry);
    return registry;
  }
}
