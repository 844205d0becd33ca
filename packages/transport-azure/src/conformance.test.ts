import { clientCases, transportCases, withKnownGaps } from "@waybill/conformance";
import { afterAll, describe, it } from "vitest";
import { knownGaps } from "./known-gaps.test-support.js";
import { openNamespaceSeat, openServerSeat, type Seat } from "./seats.test-support.js";

const connectionString = process.env.SERVICEBUS_CONNECTION_STRING;

await obeysTheLaw("on the local broker's server", openServerSeat);
if (connectionString !== undefined) {
  await obeysTheLaw("on a namespace of Azure", () => openNamespaceSeat(connectionString));
}

async function obeysTheLaw(where: string, open: () => Promise<Seat>): Promise<void> {
  const seat = await open();
  describe(`azureTransport() obeys the law for transports ${where}`, () => {
    afterAll(() => seat[Symbol.asyncDispose]());
    for (const { name, run } of withKnownGaps(transportCases(seat.subject), knownGaps)) it(name, run);
    describe("and a client on it keeps what it promises on every transport", () => {
      for (const { name, run } of clientCases(seat.subject)) it(name, run);
    });
  });
}
