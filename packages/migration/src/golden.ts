/** Golden messages: samples of what is sent, redacted, that the chain of tomorrow is tried on. */

export type { GoldenCapture, GoldenCaptureOptions, GoldenSkip } from "./golden/capture-golden-messages.js";
export { captureGoldenMessage, captureGoldenMessages } from "./golden/capture-golden-messages.js";
export type { GoldenCheck, GoldenCheckOptions, GoldenFailure } from "./golden/check-golden-messages.js";
export { assertGoldenMessages, checkGoldenMessages } from "./golden/check-golden-messages.js";
export { formatGoldenMessage, readGoldenMessages, writeGoldenMessages } from "./golden/golden-files.js";
export type { GoldenExpectation, GoldenMessage, GoldenParts } from "./golden/golden-message.js";
export { parsePortableJson } from "./golden/portable-json.js";
export type { PortableValue } from "./golden/portable-value.js";
export { fromPortableValue, toPortableValue } from "./golden/portable-value.js";
export type { LeafPlace, Redactor } from "./golden/redact-value.js";
export { redactLeaf } from "./golden/redact-value.js";
