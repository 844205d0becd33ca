import { Controller, Get, Inject } from "@nestjs/common";
import { HealthCheck, type HealthCheckResult, HealthCheckService } from "@nestjs/terminus";
import { WaybillHealthIndicator } from "@waybill/nestjs/terminus";

@Controller("health")
export class HealthController {
  readonly #health: HealthCheckService;
  readonly #serviceBus: WaybillHealthIndicator;

  constructor(
    @Inject(HealthCheckService) health: HealthCheckService,
    @Inject(WaybillHealthIndicator) serviceBus: WaybillHealthIndicator,
  ) {
    this.#health = health;
    this.#serviceBus = serviceBus;
  }

  @Get()
  @HealthCheck()
  check(): Promise<HealthCheckResult> {
    return this.#health.check([() => this.#serviceBus.isHealthy()]);
  }
}
