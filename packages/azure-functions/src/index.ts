export type { HandlerOptions } from "./function-options.js";
export type { FunctionHandlers, FunctionMessageContext } from "./handlers.js";
export {
  type QueueTrigger,
  type TopicTrigger,
  type WaybillFunctions,
  type WaybillFunctionsOptions,
  waybillFunctions,
} from "./waybill-functions.js";
