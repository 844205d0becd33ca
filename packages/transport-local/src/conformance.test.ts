import { clientCases, type TransportSubject, transportCases } from "@waybill/conformance";
import { describe, it } from "vitest";
import { openLocalWorld } from "./local-world.test-support.js";

const subject: TransportSubject = {
  create: async () => openLocalWorld(),
  capabilities: ["scheduling", "deferral", "sessions", "sessionEnumeration", "rules", "transferDeadLetter"],
  maxMessageBytes: 1024 * 1024,
};

describe("localTransport() obeys the law for transports", () => {
  for (const { name, run } of transportCases(subject)) it(name, run);
});

describe("a client on localTransport() keeps what it promises on every transport", () => {
  for (const { name, run } of clientCases(subject)) it(name, run);
});
