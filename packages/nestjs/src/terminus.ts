/** For `@nestjs/terminus`, which is optional. */

import { Inject, Injectable } from "@nestjs/common";
import { type HealthIndicatorResult, HealthIndicatorService } from "@nestjs/terminus";
import { WaybillClient } from "@waybill/core";

/** A health indicator for readiness probes: up while `client.health()` is `ready`. It does not contact the broker. */
export class WaybillHealthIndicator {
  readonly #indicators: HealthIndicatorService;
  readonly #client: WaybillClient;

  constructor(indicators: HealthIndicatorService, client: WaybillClient) {
    this.#indicators = indicators;
    this.#client = client;
  }

  /** The result under this key, with what is wrong. Default key: `serviceBus`. */
  isHealthy(key = "serviceBus"): HealthIndicatorResult {
    const { status, links, openCircuits, locksLost, deadLettered } = this.#client.health();
    const indicator = this.#indicators.check(key);
    const details = {
      clientStatus: status,
      closedLinks: links.filter(({ isOpen }) => isOpen === false).map(({ entityPath }) => entityPath),
      openCircuits: openCircuits.map(({ entityPath }) => entityPath),
      locksLost,
      deadLettered,
    };
    return status === "ready" ? indicator.up(details) : indicator.down(details);
  }
}
Injectable()(WaybillHealthIndicator);
Inject(HealthIndicatorService)(WaybillHealthIndicator, undefined, 0);
Inject(WaybillClient)(WaybillHealthIndicator, undefined, 1);
