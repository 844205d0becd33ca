/** What is used of a client of `@azure/service-bus` that speaks HTTP. The real `ServiceBusAdministrationClient` fits as it is. */
export interface HttpClientLike<Request extends HttpRequestLike, Response> {
  readonly pipeline: {
    addPolicy(policy: {
      readonly name: string;
      sendRequest(request: Request, next: (request: Request) => Promise<Response>): Promise<Response>;
    }): void;
  };
}

/** What is used of its requests. */
interface HttpRequestLike {
  url: string;
  allowInsecureConnection?: boolean;
}

/**
 * Lets a `ServiceBusAdministrationClient` reach a local broker without TLS: by itself, version 7.9 speaks TLS whatever the connection string
 * says. Keys travel unencrypted, so it is for loopback addresses.
 */
export function speakPlainHttp<Request extends HttpRequestLike, Response>(
  administrationClient: HttpClientLike<Request, Response>,
): void {
  administrationClient.pipeline.addPolicy({
    name: "waybill-plain-http",
    sendRequest(request, next) {
      request.url = request.url.replace(/^https:/, "http:");
      request.allowInsecureConnection = true;
      return next(request);
    },
  });
}
