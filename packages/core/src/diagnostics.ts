/** For monitoring a client: events, traces, health, rehearsals. */

export type { LinkStall } from "./contracts/transport.js";
export type { CircuitBreakerEvent, CircuitState } from "./diagnostics/circuit-breaker-event.js";
export type { ClientHealth, LinkHealth } from "./diagnostics/client-health.js";
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
export type { UndeserializableDisposition, UndeserializableEvent } from "./message/undeserializable-event.js";
export type { RehearsalGroup, RehearsalReport } from "./rehearsal/rehearsal-report.js";
export type { RehearseOptions } from "./rehearsal/rehearse.js";
