import { type ApplicationProperties, WaybillError } from "@waybill/core";
import type { SettlementVerb } from "@waybill/core/pipeline";
import type { CallOptions, TransportDeadLetterOptions } from "@waybill/core/transport";
import rhea from "rhea";
import type { BoundInput } from "../message/bound-message.js";
import type { HostMessage } from "../message/host-message.js";
import { type GrpcError, toHostError } from "./host-error.js";
import type { HostSettlement } from "./host-settlement.js";

/** The actions of the SDK binding by the settlement they make. */
const actionOf = {
  complete: "complete",
  abandon: "abandon",
  defer: "defer",
  deadLetter: "deadletter",
} as const;

/** The lock duration that is assumed where the message does not tell it: half of the service's default. In milliseconds. */
const assumedLockMs = 30_000;

/** Settles by the actions of the SDK binding, which the host carries out on the connection that holds the locks. */
export class ActionSettlement implements HostSettlement {
  readonly #actions: BoundInput["actions"];
  readonly #entityPath: string;

  constructor(actions: BoundInput["actions"], entityPath: string) {
    this.#actions = actions;
    this.#entityPath = entityPath;
  }

  async settle(
    message: HostMessage,
    verb: SettlementVerb,
    options: TransportDeadLetterOptions = {},
  ): Promise<void> {
    const isPreview = isOfPreview(message);
    const text = (value: string | undefined) => (isPreview && value !== undefined ? { value } : value);
    const given = {
      propertiesToModify: isPreview ? encoded(options.propertiesToModify) : options.propertiesToModify,
      deadLetterReason: text(options.deadLetterReason),
      deadLetterErrorDescription: text(options.deadLetterErrorDescription),
    } satisfies Record<keyof Omit<TransportDeadLetterOptions, keyof CallOptions>, unknown>;
    const args = {
      complete: [],
      abandon: [given.propertiesToModify],
      defer: [given.propertiesToModify],
      deadLetter: [given.propertiesToModify, given.deadLetterReason, given.deadLetterErrorDescription],
    };
    await this.#call(actionOf[verb], message.bound, ...args[verb]);
  }

  /** The action does not tell the new expiry: it is one lock duration from now. */
  async renewLock(message: HostMessage): Promise<Date> {
    const renewedAtMs = Date.now();
    await this.#call("renewMessageLock", message.bound);
    return new Date(renewedAtMs + (message.lockMs ?? assumedLockMs));
  }

  async renewSessionLock(sessionId: string): Promise<Date> {
    const until = await this.#call("renewSessionLock", sessionId);
    if (until instanceof Date) return until;
    // What it declares as a `Date` is a protobuf timestamp.
    const { seconds } = (until ?? {}) as { readonly seconds?: unknown };
    return new Date(Number(seconds) * 1000 || Date.now() + assumedLockMs);
  }

  async getSessionState(sessionId: string): Promise<Uint8Array | undefined> {
    const state = await this.#call("getSessionState", sessionId);
    return state instanceof Uint8Array && state.length > 0 ? state : undefined;
  }

  async setSessionState(sessionId: string, state: Uint8Array | undefined): Promise<void> {
    await this.#call("setSessionState", sessionId, state ?? new Uint8Array());
  }

  async #call(name: string, ...args: readonly unknown[]): Promise<unknown> {
    const action = this.#actions[name];
    if (typeof action !== "function") {
      const text = `The installed @azure/functions-extensions-servicebus has no action ${name}.`;
      throw new WaybillError("not-supported", text, { entityPath: this.#entityPath });
    }
    try {
      return await action.apply(this.#actions, args);
    } catch (error) {
      throw toHostError(error as GrpcError, this.#entityPath);
    }
  }
}

/** Version 0.2 decodes bodies as text, and sends texts and properties only as protobuf and AMQP encode them. */
function isOfPreview({ bound }: HostMessage): boolean {
  const section = bound?._rawAmqpMessage.body as { readonly content?: unknown } | undefined;
  return section?.content instanceof Uint8Array && !(bound?.body instanceof Uint8Array);
}

/** Missing in rhea's types. */
const { Writer } = rhea.types as unknown as {
  readonly Writer: new () => { write(value: unknown): void; toBuffer(): Buffer };
};

/** The properties as an AMQP map. */
function encoded(properties: ApplicationProperties | undefined): Uint8Array | undefined {
  if (properties === undefined) return undefined;
  const writer = new Writer();
  writer.write(rhea.types.wrap_map(properties));
  return writer.toBuffer();
}
