import { clientCases, transportCases, withKnownGaps } from "@waybill/conformance";
import { afterAll, describe, it } from "vitest";
import {
  type Environment,
  openNamespaceEnvironment,
  openServerEnvironment,
} from "./environments.test-support.js";
import { knownGaps } from "./known-gaps.test-support.js";

const connectionString = process.env.SERVICEBUS_CONNECTION_STRING;

await passesTheSuite("on the local broker's server", openServerEnvironment);
if (connectionString !== undefined) {
  await passesTheSuite("on a namespace of Azure", () => openNamespaceEnvironment(connectionString));
}

async function passesTheSuite(where: string, open: () => Promise<Environment>): Promise<void> {
  const environment = await open();
  describe(`azureTransport() passes the conformance suite for transports ${where}`, () => {
    afterAll(() => environment[Symbol.asyncDispose]());
    for (const { name, run } of withKnownGaps(transportCases(environment.subject), knownGaps)) it(name, run);
    describe("and a client on it passes the conformance suite for clients", () => {
      for (const { name, run } of clientCases(environment.subject)) it(name, run);
    });
  });
}
