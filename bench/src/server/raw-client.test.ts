import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { expect, test } from "vitest";
import { RawClient } from "./raw-client.js";

test("rejects when the server closes the connection before it has answered, as one does that is still starting", async () => {
  const server = createServer((socket) => socket.once("data", () => socket.destroy()));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  try {
    const { port } = server.address() as AddressInfo;
    await expect(RawClient.open(port)).rejects.toThrow("The server closed the connection.");
  } finally {
    server.close();
  }
});
