/** For monitoring a client: events, traces, health, rehearsals. */

export type { LinkStall } from "./contracts/transport.js";
export type { CircuitState } from "./diagnostics/circuit-breaker-event.js";
export type { LinkHealth } from "./diagnostics/client-health.js";
export type {
  DeserializeEvent,
  DiagnosticEvent,
  Diagnostics,
  LinkStalledEvent,
  MessageFacts,
  OperationTrace,
  ProcessEvent,
  ReceiveEvent,
  RenewLockEvent,
  SendEvent,
  SettleEvent,
  TracedOperation,
  UndeserializableMessageEvent,
} from "./diagnostics/diagnostics.js";
export type { Origin } from "./message/origin.js";
export type { UndeserializableDisposition } from "./message/undeserializable-event.js";
export { looksLike } from "./recognition/looks-like.js";
export { originOf, originText } from "./recognition/origin-of.js";
export type { Traces } from "./recognition/readers.js";
export type { RehearsalGroup } from "./rehearsal/rehearsal-report.js";
