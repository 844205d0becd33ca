import { WaybillError } from "@waybill/core";
import type { SettlementVerb } from "@waybill/core/pipeline";
import type { TransportDeadLetterOptions, TransportReceiver } from "@waybill/core/transport";
import { lockedElsewhere } from "@waybill/transport-azure/internal";
import type { HostMessage } from "../message/host-message.js";
import type { HostSettlement } from "./host-settlement.js";

/**
 * Settles by lock token over the connection of the user's own client. The service allows it for messages without a session; the host must
 * not complete them as well.
 */
export class LockTokenSettlement implements HostSettlement {
  /** A receiver of the entity, which opens no link to receive. */
  readonly #receiver: () => TransportReceiver;
  readonly #locks = new WeakMap<HostMessage, object>();

  constructor(receiver: () => TransportReceiver) {
    this.#receiver = receiver;
  }

  settle(message: HostMessage, verb: SettlementVerb, options?: TransportDeadLetterOptions): Promise<void> {
    return this.#receiver()[verb](this.#lockOf(message), options);
  }

  renewLock(message: HostMessage): Promise<Date> {
    return this.#receiver().renewLock(this.#lockOf(message));
  }

  renewSessionLock(): Promise<never> {
    return this.#withoutSessions();
  }

  getSessionState(): Promise<never> {
    return this.#withoutSessions();
  }

  setSessionState(): Promise<never> {
    return this.#withoutSessions();
  }

  #lockOf(message: HostMessage): object {
    const lock = this.#locks.get(message) ?? lockedElsewhere(message.delivered.lockToken ?? "");
    this.#locks.set(message, lock);
    return lock;
  }

  async #withoutSessions(): Promise<never> {
    const text =
      "The lock of a session belongs to the host's connection: only the SDK binding (sdkBinding: true) reaches it.";
    throw new WaybillError("not-supported", text, { entityPath: this.#receiver().entityPath });
  }
}
