import { type CustomTransportStrategy, type MessageHandler, Server } from "@nestjs/microservices";
import type {
  MessageContext,
  MessageSubscription,
  MessageType,
  ProcessErrorArgs,
  ReceivedMessage,
  SubscribeMessagesOptions,
  SubscribeSessionsOptions,
  TypedMessageHandlers,
  WaybillClient,
} from "@waybill/core";
import { lastValueFrom } from "rxjs";
import { unhandledPattern, waybillTransport } from "./patterns.js";
import { WaybillContext } from "./waybill-context.js";

/** A queue or subscription whose messages are handled. */
export type MessageSource = (
  | { readonly queue: string }
  | { readonly topic: string; readonly subscription: string }
) &
  (
    | {
        readonly sessions?: false | undefined;
        /** As for `client.subscribe`. Default: none. */
        readonly options?: SubscribeMessagesOptions | undefined;
      }
    | {
        /** Whether the entity requires sessions: they are accepted one after the other. */
        readonly sessions: true;
        /** As for `client.subscribeSessions`. Default: none. */
        readonly options?: SubscribeSessionsOptions | undefined;
      }
  );

/** What a strategy receives from. */
export interface WaybillStrategyOptions {
  /** The queues and subscriptions. Each handler gets the messages of its type from all of them. */
  readonly sources: readonly MessageSource[];
  /** Called with every error except a `DeferError`, including undeserializable messages. Default: it is logged by Nest's logger. */
  readonly processError?: ((args: ProcessErrorArgs) => Promise<void> | void) | undefined;
}

/**
 * The microservice of a Nest application on Service Bus: receives from queues and subscriptions, and calls the handlers by message type with
 * Nest's guards, pipes, interceptors and exception filters. Closing it stops receiving and waits for the running handlers.
 */
export class WaybillStrategy extends Server implements CustomTransportStrategy {
  override readonly transportId = waybillTransport;
  /** Nest 12 need not log the errors of event handlers: they settle their messages and are reported. */
  override readonly propagatesEventHandlerErrors = true;
  readonly #client: WaybillClient<MessageType>;
  readonly #options: WaybillStrategyOptions;
  #subscriptions: MessageSubscription[] = [];

  /** The client stays open: whoever made it, such as `WaybillModule`, closes it. */
  constructor(client: WaybillClient<never> | WaybillClient<MessageType>, options: WaybillStrategyOptions) {
    super();
    if (!Array.isArray(options?.sources) || options.sources.length === 0)
      throw new TypeError("A WaybillStrategy needs sources: the queues and subscriptions to receive from.");
    this.#client = client as WaybillClient<MessageType>;
    this.#options = options;
  }

  /** Begins to receive. Calls back with the error of an unknown message type or an invalid option. */
  listen(callback: (error?: unknown) => void): void {
    try {
      const handlers = this.#handlers();
      for (const source of this.#options.sources) this.#subscriptions.push(this.#subscribe(source, handlers));
    } catch (error) {
      callback(error);
      return;
    }
    callback();
  }

  async close(): Promise<void> {
    const subscriptions = this.#subscriptions;
    this.#subscriptions = [];
    await Promise.all(subscriptions.map((subscription) => subscription.close()));
  }

  /** It has no events: errors go to `processError`, and `client.health()` tells the state of the connection. */
  on(): never {
    throw new TypeError("A WaybillStrategy has no events; use processError, or client.health().");
  }

  unwrap<Client = WaybillClient>(): Client {
    return this.#client as Client;
  }

  #subscribe(source: MessageSource, handlers: TypedMessageHandlers<MessageType>): MessageSubscription {
    const client = this.#client;
    if (source.sessions === true) {
      return "queue" in source
        ? client.subscribeSessions(source.queue, handlers, source.options)
        : client.subscribeSessions(source.topic, source.subscription, handlers, source.options);
    }
    return "queue" in source
      ? client.subscribe(source.queue, handlers, source.options)
      : client.subscribe(source.topic, source.subscription, handlers, source.options);
  }

  #handlers(): TypedMessageHandlers<MessageType> {
    const byPattern = [...this.getHandlers()].map(
      ([pattern, handler]) =>
        [
          pattern,
          (message: ReceivedMessage, inFlight: MessageContext) => this.#handle(handler, message, inFlight),
        ] as const,
    );
    const { [unhandledPattern]: processUnhandled, ...processMessage } = Object.fromEntries(byPattern);
    return { processMessage, processUnhandled, processError: this.#options.processError ?? this.#logError };
  }

  /** Calls a handler as Nest wrapped it, with guards, pipes, interceptors and filters. Rejects with what settles the message. */
  #handle(handler: MessageHandler, message: ReceivedMessage, inFlight: MessageContext): Promise<void> {
    const context = new WaybillContext([message, inFlight]);
    return new Promise<void>((resolve, reject) => {
      // Nest counts and traces the messages that are being processed.
      this.onProcessingStartHook(this.transportId, context, async () => {
        await this.#call(handler, message, context).then(resolve, reject);
        this.onProcessingEndHook?.(this.transportId, context);
      });
    });
  }

  async #call(handler: MessageHandler, message: ReceivedMessage, context: WaybillContext): Promise<void> {
    let answer: unknown;
    try {
      const stream = this.transformToObservable(await handler(message.body, context));
      answer = await lastValueFrom(stream, { defaultValue: undefined });
    } catch (error) {
      throw context.errorOf(error);
    }
    if (handler.isEventHandler !== true && message.replyTo !== undefined)
      await this.#client.reply(message, answer);
  }

  readonly #logError = ({ error, errorSource, entityPath }: ProcessErrorArgs): void => {
    this.logger.error(
      `${errorSource} of ${entityPath}: ${error instanceof Error ? error.message : "failed"}`,
    );
  };
}

export { waybillTransport };
