import { type DynamicModule, Inject, type Provider } from "@nestjs/common";
import type { MessageType } from "@waybill/core";
import { type Sender, WaybillClient } from "@waybill/core";
import {
  moduleOptionsToken,
  senderToken,
  type WaybillModuleAsyncOptions,
  type WaybillModuleOptions,
} from "./module-options.js";

/** Injects the sender to a queue or topic that `WaybillModule.forFeature` provides. */
export function InjectSender(queueOrTopic: string): ParameterDecorator & PropertyDecorator {
  return Inject(senderToken(queueOrTopic));
}

/**
 * Provides one `WaybillClient` to the whole application, by its class, and closes it at shutdown: after the microservices have stopped. For that
 * on SIGTERM, call `app.enableShutdownHooks()`.
 */
// biome-ignore lint/complexity/noStaticOnlyClass: Nest knows modules by their class.
export class WaybillModule {
  /** The client with these options. */
  static forRoot<Types extends MessageType = MessageType>(
    options: WaybillModuleOptions<Types>,
  ): DynamicModule {
    return rootModule([{ provide: moduleOptionsToken, useValue: options }]);
  }

  /** The client with options that a factory makes, for example of the application's configuration. */
  static forRootAsync({ imports = [], inject = [], useFactory }: WaybillModuleAsyncOptions): DynamicModule {
    const options: Provider = {
      provide: moduleOptionsToken,
      inject,
      useFactory: useFactory as () => unknown,
    };
    return { ...rootModule([options]), imports };
  }

  /** Senders to these queues or topics, for {@link InjectSender}. */
  static forFeature(queuesOrTopics: readonly string[]): DynamicModule {
    const providers = queuesOrTopics.map(
      (name): Provider => ({
        provide: senderToken(name),
        inject: [WaybillClient],
        useFactory: (client: WaybillClient): Sender => client.createSender(name),
      }),
    );
    return { module: WaybillModule, providers, exports: providers };
  }
}

function rootModule(options: Provider[]): DynamicModule {
  const providers: Provider[] = [
    ...options,
    {
      provide: WaybillClient,
      inject: [moduleOptionsToken],
      useFactory: ({ transport, client }: WaybillModuleOptions) => new WaybillClient(transport, client),
    },
    {
      provide: ClientShutdown,
      inject: [WaybillClient, moduleOptionsToken],
      useFactory: (client: WaybillClient, { onClosed }: WaybillModuleOptions) =>
        new ClientShutdown(client, onClosed),
    },
  ];
  return { module: WaybillModule, global: true, providers, exports: [WaybillClient] };
}

/** Closes the client in the last of Nest's shutdown steps, when nothing receives or sends any more. */
class ClientShutdown {
  readonly #client: WaybillClient;
  readonly #onClosed: WaybillModuleOptions["onClosed"];

  constructor(client: WaybillClient, onClosed: WaybillModuleOptions["onClosed"]) {
    this.#client = client;
    this.#onClosed = onClosed;
  }

  async onApplicationShutdown(): Promise<void> {
    await this.#client.close();
    await this.#onClosed?.();
  }
}
