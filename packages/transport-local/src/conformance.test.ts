import { clientCases, type TransportSubject, transportCases } from "@waybill/conformance";
import { describe, it } from "vitest";
import { openLocalFixture } from "./local-fixture.test-support.js";

const subject: TransportSubject = {
  create: async () => openLocalFixture(),
  capabilities: ["scheduling", "deferral", "sessions", "sessionEnumeration", "rules", "transferDeadLetter"],
  maxMessageBytes: 1024 * 1024,
};

describe("localTransport() passes the conformance suite for transports", () => {
  for (const { name, run } of transportCases(subject)) it(name, run);
});

describe("a client on localTransport() passes the conformance suite for clients", () => {
  for (const { name, run } of clientCases(subject)) it(name, run);
});
