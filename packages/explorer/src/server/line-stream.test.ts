import { once } from "node:events";
import { createServer, get, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it } from "vitest";
import { LineStream } from "./line-stream.js";

it("waits for a slow reader as often as it must, and leaves no listener behind", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const asked = get({ host: "127.0.0.1", port: (server.address() as AddressInfo).port });
  const [[, response], [answer]] = (await Promise.all([
    once(server, "request"),
    once(asked, "response"),
    // Headers go out with the first line.
    once(server, "request").then(([, begun]) => (begun as ServerResponse).flushHeaders()),
  ])) as unknown as [[IncomingMessage, ServerResponse], [IncomingMessage]];
  const listeners = () => ["drain", "close", "error"].map((event) => response.listenerCount(event));
  const before = listeners();
  const stream = new LineStream(response);
  for (let turn = 0; turn < 20; turn++) {
    do stream.write({ text: "x".repeat(64 * 1024) });
    while (!response.writableNeedDrain);
    const waiting = stream.drained();
    answer.resume();
    await waiting;
    answer.pause();
  }
  expect(listeners()).toEqual(before);
  const gone = stream.drained();
  asked.destroy();
  await gone;
  server.close();
});
