/** For waybill's own packages: it may change in every release. */

export { compileOnce } from "./collections/compile-once.js";
export { type Linked, LinkedSet } from "./collections/linked-set.js";
export { RecentCount } from "./collections/recent-count.js";
export { isObject } from "./options/is-object.js";
export {
  kindOf,
  nameSuggestion,
  nearestName,
  type OptionNames,
  type Resolved,
  requireKnownOptions,
  requireOneOf,
  requireOptions,
  requireType,
  withDefaults,
} from "./options/known-options.js";
export { durationMs, requireDuration, requireInteger, requireShare } from "./options/numbers.js";
export { required } from "./options/required.js";
export { inspected } from "./platform/inspected.js";
export { nodeBuiltin } from "./platform/node-builtin.js";
export { asciiText } from "./text/ascii-text.js";
export { base64 } from "./text/base64.js";
export { byteDigits, hex } from "./text/hex.js";
export { parseIsoDuration, parseIsoTicks, ticksToIsoDuration, toIsoDuration } from "./text/iso-duration.js";
export { parseJson } from "./text/parse-json.js";
export { asciiJson, cut, describePath, escaped, printable, quoted, truncate } from "./text/quoted-text.js";
export { fromXmlText, xmlText } from "./text/xml-text.js";
export { onAbort, untilAborted } from "./waiting/abort-signals.js";
export { callHook } from "./waiting/call-hook.js";
export { DueTimer } from "./waiting/due-timer.js";
export { isDoneWithin } from "./waiting/is-done-within.js";
export { afterwards, isPromise } from "./waiting/is-promise.js";
export { LazyAbortController } from "./waiting/lazy-abort-controller.js";
export { mapInParallel } from "./waiting/map-in-parallel.js";
export { pause } from "./waiting/pause.js";
export { maxTimerMs, type Scheduler, steadyNowOf, systemScheduler, type Timer } from "./waiting/scheduler.js";
export { controllerForMany, underEither } from "./waiting/under-either.js";
