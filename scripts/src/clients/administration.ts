import { ServiceBusAdministrationClient } from "@azure/service-bus";

/** An administration client over plain HTTP, which this version of the SDK does not speak by itself. It tries everything once. */
export function openAdministration(connectionString: string): ServiceBusAdministrationClient {
  const client = new ServiceBusAdministrationClient(connectionString, { retryOptions: { maxRetries: 0 } });
  client.pipeline.addPolicy({
    name: "plain-http",
    sendRequest(request, next) {
      request.url = request.url.replace(/^https:/, "http:");
      request.allowInsecureConnection = true;
      return next(request);
    },
  });
  return client;
}
