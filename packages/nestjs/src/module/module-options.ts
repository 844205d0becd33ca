import type { FactoryProvider, ModuleMetadata } from "@nestjs/common";
import type { MessageType, Transport, WaybillClientOptions } from "@waybill/core";

/** The client of a Nest application. */
export interface WaybillModuleOptions<Types extends MessageType = MessageType> {
  /** The connection, as `azureTransport(serviceBusClient)` makes it. */
  readonly transport: Transport;
  /** The options of the client: serializers, message types and so on. */
  readonly client: WaybillClientOptions<Types>;
  /** Called at shutdown, when the client is closed: to close the transport and your `ServiceBusClient`. Default: nothing. */
  readonly onClosed?: (() => Promise<void> | void) | undefined;
}

/** The same, made by a factory with injected values. */
export interface WaybillModuleAsyncOptions extends Pick<ModuleMetadata, "imports"> {
  /** What the factory takes. Default: nothing. */
  readonly inject?: FactoryProvider["inject"];
  readonly useFactory: (...injected: never[]) => WaybillModuleOptions | Promise<WaybillModuleOptions>;
}

/** The token of {@link WaybillModuleOptions}. */
export const moduleOptionsToken = Symbol("waybill module options");

/** The token of the sender to a queue or topic that `WaybillModule.forFeature` provides. */
export function senderToken(queueOrTopic: string): string {
  return `waybill sender ${queueOrTopic}`;
}
