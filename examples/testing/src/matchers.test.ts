import { json } from "@waybill/serializer-json";
import { type NamespaceMatchers, namespaceMatchers, openTestNamespace } from "@waybill/testing";
import { expect, it } from "vitest";

// Once, in the setup file of the tests.
expect.extend(namespaceMatchers);
declare module "vitest" {
  interface Matchers<T> extends NamespaceMatchers<T> {}
}

it("sends orders", async () => {
  await using namespace = await openTestNamespace({ queues: ["orders"] });
  const client = namespace.createClient({ serializer: json() });
  await client.createSender("orders").sendMessages({ body: { id: 7 } });
  expect(namespace).toHaveSent("orders");
  expect(namespace).not.toHaveDeadLettered();
});
