import type { InvocationContext } from "@azure/functions";
import {
  DeadLetterError,
  type MessageContext,
  type Pipeline,
  type Receiver,
  type SessionReceiver,
  type Transport,
  type UndecodedMessage,
  WaybillClient,
  WaybillError,
} from "@waybill/core";
import type { ClientOptions } from "@waybill/core/client";
import { untypedHandlers } from "@waybill/core/internal";
import { type EntityAddress, entityPathOf, parseEntityPath } from "@waybill/core/transport";
import {
  defaultConcurrency,
  type HandlerOptions,
  type ResolvedHandlerOptions,
  resolveHandlerOptions,
} from "./function-options.js";
import {
  type AnyMessageHandlers,
  type FunctionHandlers,
  type FunctionMessageContext,
  logError,
} from "./handlers.js";
import { HostTransport } from "./host/host-transport.js";
import { Invocation } from "./host/invocation.js";
import { boundMessages, triggerMessages } from "./input/host-messages.js";
import { hostPipeline } from "./input/host-pipeline.js";
import { isBoundInput } from "./message/bound-message.js";
import type { HostMessage } from "./message/host-message.js";
import { ActionSettlement } from "./settlement/by-actions.js";
import { LockTokenSettlement } from "./settlement/by-lock-token.js";
import { ReturnSettlement } from "./settlement/by-return.js";
import type { HostSettlement } from "./settlement/host-settlement.js";

/** How a function's messages are settled. */
type SettledBy = "actions" | "lockToken" | "host";

/** The settings of a trigger that matter here. */
interface TriggerSettings {
  readonly sdkBinding?: boolean | undefined;
  readonly isSessionsEnabled?: boolean | undefined;
  readonly autoCompleteMessages?: boolean | undefined;
  readonly cardinality?: "many" | "one" | undefined;
}

/** What a function needs. */
export interface ServiceBusFunctionSettings {
  readonly entity: { readonly queueOrTopic: string; readonly subscription: string | undefined };
  readonly trigger: TriggerSettings;
  readonly handlers: FunctionHandlers;
  readonly options: HandlerOptions;
  readonly pipeline: Pipeline;
  readonly clientOptions: ClientOptions;
  /** The transport of the user's own client, made when it is first needed; undefined without one. */
  readonly beside: (() => Transport | undefined) | undefined;
}

/** One function: its client reads the messages of an invocation as those of any receiver. */
export class ServiceBusFunction {
  readonly #address: EntityAddress;
  readonly #entityPath: string;
  readonly #trigger: TriggerSettings;
  readonly #settledBy: SettledBy;
  readonly #options: ResolvedHandlerOptions;
  readonly #handlers: AnyMessageHandlers;
  readonly #processUndecoded: FunctionHandlers["processUndecoded"];
  readonly #processError: NonNullable<FunctionHandlers["processError"]>;
  readonly #transport: HostTransport;
  readonly #hasConnection: boolean;
  readonly #client: WaybillClient;

  constructor({
    entity,
    trigger,
    handlers,
    options,
    pipeline,
    clientOptions,
    beside,
  }: ServiceBusFunctionSettings) {
    this.#address = addressOf(
      appSetting(entity.queueOrTopic),
      entity.subscription === undefined ? undefined : appSetting(entity.subscription),
    );
    this.#entityPath = entityPathOf(this.#address);
    this.#trigger = trigger;
    this.#hasConnection = beside !== undefined;
    this.#settledBy = settledBy(trigger, this.#hasConnection);
    this.#options = resolveHandlerOptions(options);
    const { processUndecoded, ...otherHandlers } = handlers;
    this.#processUndecoded = processUndecoded;
    this.#requirePossible();
    this.#requirePossibleDeadLetters();
    this.#processError = handlers.processError ?? logError;
    const untyped = untypedHandlers<FunctionMessageContext>(pipeline, {
      ...(otherHandlers as AnyMessageHandlers),
      processError: () => {},
    });
    this.#handlers = untyped.handlers;
    this.#transport = new HostTransport(
      beside ?? (() => undefined),
      this.#hasConnection ? ["sessions", "scheduling"] : ["sessions"],
    );
    this.#client = new WaybillClient(this.#transport, {
      ...clientOptions,
      // It looks at the waiting messages before it decides.
      ...(this.#hasConnection ? {} : { circuitBreaker: false }),
      pipeline: hostPipeline(pipeline, untyped.pipeline),
    });
  }

  /** What the trigger needs besides its address: bytes instead of text, and whether the host completes. */
  get triggerSettings(): object {
    return this.#settledBy === "actions"
      ? { autoCompleteMessages: false }
      : { autoCompleteMessages: this.#settledBy === "host", dataType: "binary" };
  }

  /** Reads, handles and settles the messages of one invocation. Rejects if messages are left to the host. */
  readonly handler = async (input: unknown, context: InvocationContext): Promise<void> => {
    const messages = this.#messagesOf(input, context);
    const sessionId = this.#trigger.isSessionsEnabled === true ? messages[0]?.delivered.sessionId : undefined;
    const invocation = new Invocation(messages, this.#settlementFor(input), sessionId);
    const { receiver, session } = await this.#open(invocation);
    try {
      const subscription = receiver.subscribe(this.#handlersOf(invocation, context, session), {
        maxConcurrentCalls:
          this.#options.maxConcurrentCalls ?? (session === undefined ? defaultConcurrency : 1),
        closeTimeoutInMs: Number.POSITIVE_INFINITY,
        retry: this.#options.retry,
      });
      await invocation.isDone(this.#options.holdForInMs);
      await subscription.close();
    } finally {
      await receiver.close();
    }
    invocation.requireSettled(this.#entityPath);
  };

  close(): Promise<void> {
    return this.#client.close();
  }

  #messagesOf(input: unknown, { triggerMetadata }: InvocationContext): HostMessage[] {
    if (isBoundInput(input)) return this.#requireRetriable(boundMessages(input));
    if (this.#settledBy === "actions") {
      throw this.#invalid(
        "sdkBinding is set, but the host handed over no { messages, actions }: import @azure/functions-extensions-servicebus before the functions are registered.",
      );
    }
    const isBatch = this.#trigger.cardinality === "many";
    return triggerMessages(input, triggerMetadata, { isBatch, entityPath: this.#entityPath });
  }

  #settlementFor(input: unknown): HostSettlement {
    if (isBoundInput(input)) return new ActionSettlement(input.actions, this.#entityPath);
    const byLockToken = new LockTokenSettlement(() => this.#transport.receiverBeside(this.#address));
    if (this.#settledBy === "lockToken") return byLockToken;
    const isReachable = this.#hasConnection && this.#trigger.isSessionsEnabled !== true;
    return new ReturnSettlement(this.#entityPath, isReachable ? byLockToken : undefined);
  }

  async #open(invocation: Invocation): Promise<{
    readonly receiver: Receiver<UndecodedMessage>;
    readonly session: SessionReceiver<UndecodedMessage> | undefined;
  }> {
    const { sessionId } = invocation;
    // The host renews the locks of what it settles itself.
    const maxAutoLockRenewalDurationInMs =
      this.#settledBy === "host" ? 0 : this.#options.maxAutoLockRenewalDurationInMs;
    const address = this.#address;
    const options = maxAutoLockRenewalDurationInMs === undefined ? {} : { maxAutoLockRenewalDurationInMs };
    const { subQueue: subQueueType } = address;
    if (sessionId === undefined) {
      const receiver = this.#transport.receiving(invocation, () =>
        "queue" in address
          ? this.#client.createReceiver(address.queue, { ...options, subQueueType })
          : this.#client.createReceiver(address.topic, address.subscription, { ...options, subQueueType }),
      );
      return { receiver, session: undefined };
    }
    const accepting = { ...options, undeserializableAction: this.#options.undeserializableAction };
    const session = await this.#transport.receivingSession(sessionId, invocation, () =>
      "queue" in address
        ? this.#client.acceptSession(address.queue, sessionId, accepting)
        : this.#client.acceptSession(address.topic, address.subscription, sessionId, accepting),
    );
    return { receiver: session, session };
  }

  #handlersOf(
    invocation: Invocation,
    context: InvocationContext,
    session: SessionReceiver<UndecodedMessage> | undefined,
  ): Pick<AnyMessageHandlers, "processError"> & {
    processMessage(
      message: Parameters<AnyMessageHandlers["processMessage"]>[0],
      inFlight: MessageContext,
    ): Promise<void>;
  } {
    return {
      processMessage: (message, inFlight) =>
        invocation.handle(() =>
          this.#handle(message, {
            // Made when a handler asks for it.
            get abortSignal() {
              return inFlight.abortSignal;
            },
            invocation: context,
            session,
          }),
        ),
      processError: (args) => this.#processError(args, context),
    };
  }

  async #handle(
    message: Parameters<AnyMessageHandlers["processMessage"]>[0],
    context: FunctionMessageContext,
  ): Promise<void> {
    if (this.#address.subQueue === undefined) return await this.#handlers.processMessage(message, context);
    try {
      if (message.failure !== undefined) await this.#processUndecoded?.(message, context);
      else await this.#handlers.processMessage(message, context);
    } catch (error) {
      if (!(error instanceof DeadLetterError)) throw error;
      const text = "A message of a dead-letter queue cannot be dead-lettered again. It is abandoned.";
      throw new WaybillError("operation-invalid", text, { entityPath: this.#entityPath, cause: error });
    }
  }

  /** Nothing can be dead-lettered in a dead-letter queue, so a handler has to take what cannot be read. */
  #requirePossibleDeadLetters(): void {
    const isDeadLetterQueue = this.#address.subQueue !== undefined;
    if (isDeadLetterQueue && this.#processUndecoded === undefined) {
      throw this.#invalid(
        "A trigger on a dead-letter queue needs processUndecoded: what cannot be read there cannot be dead-lettered, and would be delivered again and again.",
      );
    }
    if (!isDeadLetterQueue && this.#processUndecoded !== undefined)
      throw this.#invalid(
        "processUndecoded is for triggers on dead-letter queues: elsewhere unreadable messages are dead-lettered.",
      );
    if (isDeadLetterQueue && this.#trigger.isSessionsEnabled === true)
      throw this.#invalid("A dead-letter queue has no sessions: leave isSessionsEnabled out.");
    if (isDeadLetterQueue && this.#options.retry !== undefined)
      throw this.#invalid("Nothing can be sent to a dead-letter queue: leave retry out.");
  }

  #requirePossible(): void {
    const { cardinality, sdkBinding } = this.#trigger;
    if (this.#settledBy === "host" && cardinality === "many") {
      throw this.#invalid(
        'With cardinality: "many" the host completes or abandons all messages of a batch together. Use the SDK binding (sdkBinding: true) or, without sessions, give waybillFunctions a serviceBusClient.',
      );
    }
    if (this.#options.retry !== undefined && !(sdkBinding === true && this.#hasConnection)) {
      throw this.#invalid(
        "retry sends a copy of the message: it needs a serviceBusClient, and the SDK binding (sdkBinding: true), without which the host hands over changed application properties.",
      );
    }
  }

  /** Copies are told apart by the sequence number of what they repeat. */
  #requireRetriable(messages: HostMessage[]): HostMessage[] {
    if (this.#options.retry === undefined || messages.every(({ delivered }) => delivered.sequenceNumber > 0n))
      return messages;
    throw this.#invalid(
      "retry needs the sequence number, which this version of @azure/functions-extensions-servicebus loses: install 0.5 or later.",
    );
  }

  #invalid(text: string): WaybillError {
    return new WaybillError("configuration-invalid", text, { entityPath: this.#entityPath });
  }
}

function settledBy(trigger: TriggerSettings, hasConnection: boolean): SettledBy {
  if (trigger.sdkBinding === true) return "actions";
  const isReachable = hasConnection && trigger.isSessionsEnabled !== true;
  return isReachable && trigger.autoCompleteMessages !== true ? "lockToken" : "host";
}

/** The queue or subscription of a trigger, or its dead-letter queue if the name says so, as `orders/$DeadLetterQueue`. */
function addressOf(queueOrTopic: string, subscription: string | undefined): EntityAddress {
  const name = subscription === undefined ? { queue: queueOrTopic } : { topic: queueOrTopic, subscription };
  const parsed = parseEntityPath(entityPathOf(name));
  return parsed?.subQueue === undefined ? name : parsed;
}

/** A name as the host resolves it: `%Name%` stands for an app setting. */
function appSetting(name: string): string {
  return name.replace(/%([^%]+)%/g, (whole, setting: string) => process.env[setting] ?? whole);
}
