import type { ServiceBusAdministrationClient } from "@azure/service-bus";

/** Lets the official administration client speak plain HTTP: it insists on TLS, whose certificate is not what is tested. */
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
