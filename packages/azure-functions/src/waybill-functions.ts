import type { ServiceBusQueueFunctionOptions, ServiceBusTopicFunctionOptions } from "@azure/functions";
import {
  type Message,
  type MessageType,
  type Pipeline,
  type Transport,
  WaybillClient,
  type WaybillClientOptions,
  WaybillError,
} from "@waybill/core";
import type { ClientOptions } from "@waybill/core/client";
import { makePipeline, pipelineOptionNames } from "@waybill/core/internal";
import { azureTransport, type ServiceBusClientLike } from "@waybill/transport-azure";
import type { HandlerOptions } from "./function-options.js";
import type { FunctionHandlers } from "./handlers.js";
import { outputText } from "./output-text.js";
import { ServiceBusFunction } from "./service-bus-function.js";

/** The options of the client, and how the functions of this process reach Service Bus beside the host. */
export type WaybillFunctionsOptions<Types extends MessageType = MessageType> = WaybillClientOptions<Types> & {
  /**
   * Makes the `ServiceBusClient` of this process, which is made when it is first needed and closed with `close`. It sends, peeks, and settles by
   * lock token. Default: none; then messages are only settled by the SDK binding, or by returning and throwing.
   */
  readonly serviceBusClient?: (() => ServiceBusClientLike & { close(): Promise<void> }) | undefined;
};

/** The trigger of a queue: what `app.serviceBusQueue` takes, without its handler. */
export type QueueTrigger = Omit<ServiceBusQueueFunctionOptions, "handler" | "trigger">;

/** The trigger of a subscription: what `app.serviceBusTopic` takes, without its handler. */
export type TopicTrigger = Omit<ServiceBusTopicFunctionOptions, "handler" | "trigger"> &
  Pick<QueueTrigger, "autoCompleteMessages">;

/** The Service Bus functions of a process, which share serializers, message types and one connection. */
export interface WaybillFunctions<Types extends MessageType = never> extends AsyncDisposable {
  /** The client for sending, over the process's `ServiceBusClient`. Throws `configuration-invalid` if `serviceBusClient` is not set. */
  readonly client: WaybillClient<Types>;
  /**
   * The options for `app.serviceBusQueue`. Messages are read, passed to the handlers and settled as `client.subscribe` does. They are settled by
   * the actions of the SDK binding with `sdkBinding: true`; otherwise by lock token through `serviceBusClient`; without it, in sessions and with
   * `autoCompleteMessages: true`, by the host when the function returns or throws. Throws `TypeError` for invalid options and
   * `configuration-invalid` for a combination that cannot settle single messages.
   */
  serviceBusQueue(
    trigger: QueueTrigger,
    handlers: FunctionHandlers<Types>,
    options?: HandlerOptions,
  ): ServiceBusQueueFunctionOptions;
  /** The options for `app.serviceBusTopic`, like {@link serviceBusQueue}. */
  serviceBusTopic(
    trigger: TopicTrigger,
    handlers: FunctionHandlers<Types>,
    options?: HandlerOptions,
  ): ServiceBusTopicFunctionOptions;
  /**
   * The body of a message as text for an output binding, which carries nothing but text. Rejects with `not-supported` for a message with
   * properties and for a format that is not text: send these with `client`.
   */
  outputText(message: Message): Promise<string>;
  /** Closes the connection; pass it to `app.hook.appTerminate`. */
  close(): Promise<void>;
}

/** Creates the Service Bus functions of a process. Throws like the constructor of `WaybillClient`. Nothing connects before the first use. */
export function waybillFunctions<Types extends MessageType = never>(
  options: WaybillFunctionsOptions<Types>,
): WaybillFunctions<Types> {
  return new ProcessFunctions<Types>(options);
}

class ProcessFunctions<Types extends MessageType> implements WaybillFunctions<Types> {
  readonly #connect: WaybillFunctionsOptions["serviceBusClient"];
  readonly #pipeline: Pipeline<Types>;
  readonly #clientOptions: ClientOptions;
  readonly #functions: ServiceBusFunction[] = [];
  #connection: { readonly transport: Transport; close(): Promise<void> } | undefined;
  #client: WaybillClient<Types> | undefined;

  constructor({ serviceBusClient, ...options }: WaybillFunctionsOptions<Types>) {
    if (serviceBusClient !== undefined && typeof serviceBusClient !== "function") {
      throw new TypeError(
        "serviceBusClient must be a function that makes a ServiceBusClient: it is called when it is first needed.",
      );
    }
    this.#connect = serviceBusClient;
    const { pipeline, clientOptions } = splitOptions(options as WaybillClientOptions<Types>);
    this.#pipeline = pipeline;
    this.#clientOptions = clientOptions;
  }

  get client(): WaybillClient<Types> {
    const transport = this.#transport();
    if (transport === undefined) {
      throw new WaybillError(
        "configuration-invalid",
        "Sending needs a serviceBusClient in waybillFunctions.",
      );
    }
    this.#client ??= new WaybillClient<Types>(transport, {
      ...this.#clientOptions,
      pipeline: this.#pipeline,
    });
    return this.#client;
  }

  serviceBusQueue(
    trigger: QueueTrigger,
    handlers: FunctionHandlers<Types>,
    options: HandlerOptions = {},
  ): ServiceBusQueueFunctionOptions {
    const entity = { queueOrTopic: trigger.queueName, subscription: undefined };
    return { ...trigger, ...this.#define(entity, trigger, handlers, options) };
  }

  serviceBusTopic(
    trigger: TopicTrigger,
    handlers: FunctionHandlers<Types>,
    options: HandlerOptions = {},
  ): ServiceBusTopicFunctionOptions {
    const entity = { queueOrTopic: trigger.topicName, subscription: trigger.subscriptionName };
    return { ...trigger, ...this.#define(entity, trigger, handlers, options) };
  }

  #define(
    entity: { readonly queueOrTopic: string; readonly subscription: string | undefined },
    trigger: QueueTrigger | TopicTrigger,
    handlers: FunctionHandlers<Types>,
    options: HandlerOptions,
  ) {
    const one = new ServiceBusFunction({
      entity,
      trigger,
      handlers: handlers as FunctionHandlers<never>,
      options,
      pipeline: this.#pipeline,
      clientOptions: this.#clientOptions,
      beside: this.#connect === undefined ? undefined : () => this.#transport(),
    });
    this.#functions.push(one);
    return { ...one.triggerSettings, handler: one.handler };
  }

  outputText(message: Message): Promise<string> {
    return outputText(this.#pipeline, message);
  }

  async close(): Promise<void> {
    const connection = this.#connection;
    this.#connection = undefined;
    await Promise.all([this.#client?.close(), ...this.#functions.map((one) => one.close())]);
    await connection?.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #transport(): Transport | undefined {
    if (this.#connect === undefined) return undefined;
    this.#connection ??= openConnection(this.#connect());
    return this.#connection.transport;
  }
}

function openConnection(serviceBusClient: ServiceBusClientLike & { close(): Promise<void> }) {
  const transport = azureTransport(serviceBusClient);
  const close = async () => {
    await transport.close();
    await serviceBusClient.close();
  };
  return { transport, close };
}

/** One pipeline for all functions, and the client's own options. */
function splitOptions<Types extends MessageType>(options: WaybillClientOptions<Types>) {
  const own = Object.entries(options).filter(
    ([name]) => name !== "pipeline" && !Object.hasOwn(pipelineOptionNames, name),
  );
  const pipeline = "pipeline" in options ? options.pipeline : makePipeline(options);
  return { pipeline, clientOptions: Object.fromEntries(own) as ClientOptions };
}
