/** For servers: limits for clients, and messages passed on without decoding. */

export type { AcceptOptions, OversizedMessage, ReceiverAcceptOptions, SettleModes } from "./api.js";
export { uuidText } from "./codec/value.js";
export type { PeerLimits } from "./connection/connection-options.js";
export { type SaslMechanism, type SaslStep, saslCbs, saslExternal } from "./connection/sasl.js";
export type { Attach, Begin, Open } from "./frames/performatives.js";
export type { Coordinator } from "./frames/terminus.js";
export type { MemoryBudget } from "./memory/memory-budget.js";
export { countBatch, scanBatch } from "./message/batch.js";
export type { PropertyFault, PropertyLimits } from "./message/property-fault.js";
export type { BodyKind, ByteRange, SectionRange } from "./message/sections.js";
export type { MessageFront } from "./message/splice.js";
export { type PropertyStamps, stampProperties } from "./message/stamp-properties.js";
