// #region imports
import { type DynamicModule, Module } from "@nestjs/common";
import { TerminusModule } from "@nestjs/terminus";
import type { Transport } from "@waybill/core";
import { WaybillModule } from "@waybill/nestjs";
import { WaybillHealthIndicator } from "@waybill/nestjs/terminus";
import { json } from "@waybill/serializer-json";
import { HealthController } from "./health.controller.js";
import { messageTypes } from "./messages.js";
import { OrdersController } from "./orders.controller.js";
import { OrdersService } from "./orders.service.js";

// #endregion

// #region module
@Module({
  imports: [TerminusModule, WaybillModule.forFeature(["shipments"])],
  controllers: [OrdersController, HealthController],
  providers: [OrdersService, WaybillHealthIndicator],
})
class AppModule {}

/** The application on this connection: `azureTransport(serviceBusClient)`, or a namespace of a test. */
export function appModule(transport: Transport): DynamicModule {
  return {
    module: AppModule,
    imports: [WaybillModule.forRoot({ transport, client: { serializer: json(), messageTypes } })],
  };
}
// #endregion
