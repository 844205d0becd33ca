import { WaybillError } from "@waybill/core";
import type { SettlementVerb } from "@waybill/core/pipeline";
import type { TransportDeadLetterOptions } from "@waybill/core/transport";
import type { HostMessage } from "../message/host-message.js";
import type { HostSettlement } from "./host-settlement.js";

/**
 * Leaves the settlement to the host, which completes the message when the function returns and abandons it when it throws. `beside` settles
 * what the host cannot, by lock token; undefined if the user gave no client, and in sessions.
 */
export class ReturnSettlement implements HostSettlement {
  readonly #entityPath: string;
  readonly #beside: HostSettlement | undefined;

  constructor(entityPath: string, beside: HostSettlement | undefined) {
    this.#entityPath = entityPath;
    this.#beside = beside;
  }

  async settle(
    message: HostMessage,
    verb: SettlementVerb,
    options?: TransportDeadLetterOptions,
  ): Promise<void> {
    if (verb === "complete") return;
    if (verb !== "abandon" && this.#beside !== undefined) return this.#beside.settle(message, verb, options);
    // It stays unsettled, so that the invocation throws.
    throw this.#unsupported(
      verb === "abandon"
        ? "The host abandons the message when the function has thrown."
        : `To ${verb === "defer" ? "defer" : "dead-letter"} it, use the SDK binding (sdkBinding: true) or, without sessions, give waybillFunctions a serviceBusClient. It is abandoned.`,
    );
  }

  renewLock(): Promise<never> {
    return this.#hostRenews();
  }

  renewSessionLock(): Promise<never> {
    return this.#hostRenews();
  }

  getSessionState(): Promise<never> {
    return this.#noState();
  }

  setSessionState(): Promise<never> {
    return this.#noState();
  }

  async #hostRenews(): Promise<never> {
    throw this.#unsupported("The host renews the lock, for maxAutoLockRenewalDuration of host.json.");
  }

  async #noState(): Promise<never> {
    throw this.#unsupported("The state of a session is reached by the SDK binding only (sdkBinding: true).");
  }

  #unsupported(text: string): WaybillError {
    return new WaybillError("not-supported", text, { entityPath: this.#entityPath });
  }
}
