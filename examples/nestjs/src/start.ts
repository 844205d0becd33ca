// #region imports
import type { INestApplication } from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import { type Transport, WaybillClient } from "@waybill/core";
import { WaybillStrategy } from "@waybill/nestjs";
import { appModule } from "./app.module.js";
// #endregion

// #region start
/** Starts HTTP on this port, 0 for any, and the handlers of the queue `orders`. */
export async function start(transport: Transport, port: number): Promise<INestApplication> {
  const app = await NestFactory.create(appModule(transport), { logger: ["error", "warn"] });
  app.connectMicroservice({
    strategy: new WaybillStrategy(app.get(WaybillClient), {
      sources: [{ queue: "orders", options: { maxConcurrentCalls: 8 } }],
    }),
  });
  app.enableShutdownHooks();
  await app.startAllMicroservices();
  await app.listen(port);
  return app;
}
// #endregion
