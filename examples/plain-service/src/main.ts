import { ServiceBusClient } from "@azure/service-bus";
import { azureRetryOptions, azureTransport } from "@waybill/transport-azure";
import { startService } from "./service.js";
import { startTelemetry } from "./telemetry.js";

// #region main
const telemetry = startTelemetry();
const serviceBusClient = new ServiceBusClient(process.env.SERVICEBUS_CONNECTION_STRING ?? "", {
  retryOptions: azureRetryOptions,
});
const port = Number(process.env.PORT ?? 8080);
const service = await startService(azureTransport(serviceBusClient), port, async ({ messageId }) => {
  console.log("handled", messageId);
});
process.once("SIGTERM", async () => {
  await service.stop(); // handlers finish
  await serviceBusClient.close();
  await telemetry.shutdown(); // the last spans and metrics are sent
});
console.log(`ready: ${service.url}/ready`);
// #endregion
