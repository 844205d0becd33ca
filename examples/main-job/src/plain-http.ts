import type { ServiceBusAdministrationClient } from "@azure/service-bus";

/** Lets a client of the official SDK administer over plain HTTP: by itself this version speaks TLS, whatever the connection string says. */
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
