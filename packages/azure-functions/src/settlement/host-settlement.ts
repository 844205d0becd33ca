import type { SettlementVerb } from "@waybill/core/pipeline";
import type { TransportDeadLetterOptions } from "@waybill/core/transport";
import type { HostMessage } from "../message/host-message.js";

/** A way to settle what the host holds locked. Every error is a `WaybillError`. */
export interface HostSettlement {
  settle(message: HostMessage, verb: SettlementVerb, options?: TransportDeadLetterOptions): Promise<void>;
  /** Renews the lock of a message and resolves with its new expiry. */
  renewLock(message: HostMessage): Promise<Date>;
  renewSessionLock(sessionId: string): Promise<Date>;
  getSessionState(sessionId: string): Promise<Uint8Array | undefined>;
  setSessionState(sessionId: string, state: Uint8Array | undefined): Promise<void>;
}
