import type { ServiceBusAdministrationClient } from "@azure/service-bus";

/** A response of the client's pipeline. */
type Answer = Awaited<ReturnType<ServiceBusAdministrationClient["pipeline"]["sendRequest"]>>;

/**
 * Lets requests for the same address that are under way at the same time share one answer: the SDK asks for the properties of entities and for
 * their counts with the same request.
 */
export function shareAnswers(client: ServiceBusAdministrationClient): void {
  const underWay = new Map<string, Promise<Answer>>();
  client.pipeline.addPolicy({
    name: "waybill-shared-answers",
    async sendRequest(request, next) {
      if (request.method !== "GET") return await next(request);
      // Later policies may change the address.
      const { url } = request;
      let answer = underWay.get(url);
      if (answer === undefined) {
        answer = next(request).finally(() => underWay.delete(url));
        underWay.set(url, answer);
      }
      // The SDK writes what it parsed into the answer.
      return { ...(await answer), request };
    },
  });
}
