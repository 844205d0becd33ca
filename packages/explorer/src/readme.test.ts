import { createBroker } from "@waybill/broker";
import { localCatalog, localTransport } from "@waybill/transport-local";
import { expect, it, vi } from "vitest";
import { pipeline } from "./fixture.test-support.js";
import { startExplorer } from "./server/start-explorer.js";

it("serves the page from a program, as in the README", async () => {
  await using broker = createBroker();
  await using transport = localTransport(broker);
  const log = vi.spyOn(console, "log").mockImplementation(() => {});
  // #region serve
  await using explorer = await startExplorer({
    transport,
    pipeline,
    catalog: localCatalog(broker),
    namespace: "laptop",
  });
  console.log(`Open once: ${explorer.issueLink()}`);
  // #endregion
  expect(log.mock.lastCall?.[0]).toMatch(/^Open once: http:\/\/127\.0\.0\.1:\d+\/\?token=[\w-]{43}$/);
  log.mockRestore();
});
