import { ServiceBusAdministrationClient, ServiceBusClient } from "@azure/service-bus";
import { createPipeline } from "@waybill/core";
import { startExplorer } from "@waybill/explorer";
import { json } from "@waybill/serializer-json";
import { msgpack } from "@waybill/serializer-msgpack";
import { azureCatalog, azureTransport, speakPlainHttp } from "@waybill/transport-azure";

// An explorer of its own, connected to a broker in another process: it is killed. Argument: the directory of its receipts. Sends a link to its page.

const [directory = ""] = process.argv.slice(2);
const connectionString = process.env.SERVICEBUS_CONNECTION_STRING ?? "";
const administrationClient = new ServiceBusAdministrationClient(connectionString);
speakPlainHttp(administrationClient);
const explorer = await startExplorer({
  transport: azureTransport(new ServiceBusClient(connectionString)),
  pipeline: createPipeline({ serializer: msgpack(), additionalDeserializers: [json()] }),
  catalog: azureCatalog(administrationClient),
  namespace: "demo",
  directory,
  allowChanges: true,
});
process.on("disconnect", () => process.exit());
process.send?.(explorer.issueLink());
