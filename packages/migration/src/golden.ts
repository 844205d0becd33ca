/** Golden messages: what was once written, and must stay readable. */

export type {
  GoldenCapture,
  GoldenCaptureOptions,
  GoldenSkip,
} from "./golden/capture-golden-messages.js";
export { captureGoldenMessages } from "./golden/capture-golden-messages.js";
export type { GoldenCheck, GoldenCheckOptions, GoldenFailure } from "./golden/check-golden-messages.js";
export { assertGoldenMessages, checkGoldenMessages } from "./golden/check-golden-messages.js";
export { readGoldenMessages, writeGoldenMessages } from "./golden/golden-files.js";
export type { GoldenExpectation, GoldenMessage, GoldenParts } from "./golden/golden-message.js";
export { type LeafPlace, type Redactor, redactLeaf } from "./golden/redact-value.js";
