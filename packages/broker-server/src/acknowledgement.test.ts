import { describe, expect, it } from "vitest";
import { openRaw } from "./raw-fixture.test-support.js";

describe("a frame without a response", () => {
  it("is answered with an empty frame, so that the client's next frame is not delayed", async () => {
    await using fixture = await openRaw();
    await using client = await fixture.connect();
    const { link } = await client.receiver("orders");
    await client.synchronize();
    const answer = new Promise<Buffer>((resolve) => client.socket.once("data", resolve));
    link.addCredit(1);
    expect((await answer).toString("hex")).toBe("0000000802000000");
  });
});
