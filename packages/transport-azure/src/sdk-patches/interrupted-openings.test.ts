import { describe, expect, it } from "vitest";
import { openLossyFixture } from "../lossy-fixture.test-support.js";
import { isOpeningReceiver, sdkParts, shortenTimeouts } from "./sdk-parts.test-support.js";

type Fixture = Awaited<ReturnType<typeof openLossyFixture>>;

describe("a call that is aborted while it opens the connection", () => {
  it("keeps the connection for other calls", async () => {
    await using fixture = await openLossyFixture();
    expect(await sendBesideGivenUp(fixture)).toBe("sent");
  });

  it("closes it for other calls, which fail at their timeout, with the SDK alone", async () => {
    await using fixture = await openLossyFixture({}, { maxRetries: 0, mode: 1 }, { sdkPatches: false });
    shortenTimeouts(fixture.client);
    // When this fails, the fault is fixed upstream, and this part of the patch can go.
    expect(await sendBesideGivenUp(fixture)).toMatch(/Unable to open the amqp connection/);
  });
});

describe("a link that is being opened when its connection is closed", () => {
  it("fails at once", async () => {
    await using fixture = await openLossyFixture(
      { requiresSession: true },
      { timeoutInMs: 120_000, mode: 1 },
    );
    expect(await openingBesideClose(fixture)).toBe(
      "ConnectionForcedError: The connection ended while a link was being opened.",
    );
  });

  it("fails at its timeout, with the SDK alone", async () => {
    const retryOptions = { timeoutInMs: 120_000, mode: 1 };
    await using fixture = await openLossyFixture({ requiresSession: true }, retryOptions, {
      sdkPatches: false,
    });
    shortenTimeouts(fixture.client);
    // When this fails, the fault is fixed upstream, and this part of the patch can go.
    expect(await openingBesideClose(fixture)).toMatch(/due to operation timeout/);
  });
});

describe("a client that is closed while it opens its connection", () => {
  it("is closed at once with its transport, although the server never responds", async () => {
    await using fixture = await openLossyFixture();
    fixture.network.slowDownOpening(120_000);
    const sending = fixture.transport.createSender("orders").send([{ body: new Uint8Array() }]);
    const ended = expect(sending).rejects.toMatchObject({ name: "WaybillError" });
    await expect.poll(() => fixture.network.connectionCount).toBe(1);
    await fixture.client.close();
    await fixture.transport.close();
    await ended;
  });
});

/** The outcome of a send while another call, which opens the connection, is aborted. */
async function sendBesideGivenUp({ client, network }: Fixture): Promise<string> {
  network.slowDownOpening(100);
  const caller = new AbortController();
  const peeking = client.createReceiver("orders").peekMessages(1, { abortSignal: caller.signal });
  const givenUp = expect(peeking).rejects.toMatchObject({ name: "AbortError" });
  const sending = client.createSender("orders").sendMessages({ body: 1 });
  const ended = sending.then(
    () => "sent",
    (error: Error) => error.message,
  );
  await expect.poll(() => network.connectionCount).toBe(1);
  caller.abort();
  await givenUp;
  return ended;
}

/** The outcome of accepting the next session when the client closes its connection. */
async function openingBesideClose({ client }: Fixture): Promise<string> {
  const accepting = client.acceptNextSession("orders").then(
    () => "accepted",
    (error: Error) => error.message,
  );
  await expect.poll(() => isOpeningReceiver(client)).toBe(true);
  await sdkParts(client).connection.close();
  return accepting;
}
