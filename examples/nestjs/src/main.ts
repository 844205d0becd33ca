import "reflect-metadata";
import { openTestNamespace } from "@waybill/testing";
import { start } from "./start.js";

// On Azure: azureTransport(new ServiceBusClient(…)) of @waybill/transport-azure. This runs on a namespace in the same process.
const namespace = await openTestNamespace({ queues: ["orders", "shipments"] });
const app = await start(namespace.transport, Number(process.env.PORT ?? 3000));
console.log(`health: ${await app.getUrl()}/health`);
