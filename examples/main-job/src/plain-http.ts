import type { ServiceBusAdministrationClient } from "@azure/service-bus";

/** Lets the SDK's administration client use plain HTTP: this version uses TLS, whatever the connection string says. */
export function speakPlainHttp(client: ServiceBusAdministrationClient): void {
  client.pipeline.addPolicy({
    name: "plain-http",
    sendRequest(request, next) {
      request.url = request.url.replace(/^https:/, "http:");
      request.allowInsecureConnection = true;
      return next(request);
    },
  });
}
