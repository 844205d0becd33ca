/** For waybill's own packages: it may change in every release. */

export { onAbort, untilAborted } from "./foundation/abort-signals.js";
export { compileOnce } from "./foundation/compile-once.js";
export { isPromise } from "./foundation/is-promise.js";
export { nearestName } from "./foundation/known-options.js";
export { pause } from "./foundation/pause.js";
export { underEither } from "./foundation/under-either.js";
export type {
  AmqpSection,
  BrokerProperty,
  BrokerPropertyName,
  BrokerPropertyType,
} from "./message/broker-properties.js";
export { applicationPropertyLimits, brokerProperties } from "./message/broker-properties.js";
export { untransferable } from "./message/untransferable.js";
export { pipelineOptionNames } from "./pipeline/options.js";
export { makePipeline } from "./pipeline/pipeline.js";
export { undeserializable } from "./pipeline/undeserializable.js";
export { untypedHandlers } from "./receive/processing/typed-handlers.js";
