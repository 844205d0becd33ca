import { expect, it } from "vitest";
import { createMcpServer } from "../mcp/mcp-server.js";
import { startExplorer } from "../server/start-explorer.js";

it("refuses misspelt options and suggests the most similar name", async () => {
  await expect(startExplorer({ allowChange: true } as never)).rejects.toThrow(
    new TypeError('startExplorer: there is no option "allowChange"; did you mean "allowChanges"?'),
  );
  await expect(startExplorer({ prot: 1 } as never)).rejects.toThrow('did you mean "port"?');
  expect(() => createMcpServer({ port: 1 } as never, "0")).toThrow(
    'createMcpServer: there is no option "port"',
  );
});
