import type { ServiceBusAdministrationClient } from "@azure/service-bus";

/** Makes the official administration client use plain HTTP: it insists on TLS, but certificates are not under test. */
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
