export {
  senderToken,
  type WaybillModuleAsyncOptions,
  type WaybillModuleOptions,
} from "./module/module-options.js";
export { InjectSender, WaybillModule } from "./module/waybill-module.js";
export { MessageHandler, RequestHandler, UnhandledMessageHandler } from "./strategy/message-handler.js";
export { WaybillContext } from "./strategy/waybill-context.js";
export {
  type MessageSource,
  WaybillStrategy,
  type WaybillStrategyOptions,
  waybillTransport,
} from "./strategy/waybill-strategy.js";
export { WaybillClientProxy, type WaybillClientProxyOptions } from "./waybill-client-proxy.js";
