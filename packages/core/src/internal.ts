/** For waybill's own packages: it may change in every release. */

export { keyForbidden, utf8Invalid } from "./errors/body-failures.js";
export { brokerProperties } from "./message/broker-properties.js";
export { unreadReport } from "./message/unread-report.js";
export { untransferable } from "./message/untransferable.js";
export { pipelineOptionNames } from "./pipeline/options.js";
export { makePipeline } from "./pipeline/pipeline.js";
export { undeserializable } from "./pipeline/undeserializable.js";
export { settlingErrors } from "./receive/processing/handler-errors.js";
export { untypedHandlers } from "./receive/processing/typed-handlers.js";
