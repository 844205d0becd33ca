import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
// #region imports
import { openBroker } from "@waybill/broker";
import { openDurableStorage } from "@waybill/broker-storage-lmdb";
// #endregion
import { expect, it } from "vitest";

it("README: a broker on a durable storage keeps what was acknowledged after a restart", async () => {
  const directory = mkdtempSync(join(tmpdir(), "durable-"));
  try {
    {
      // #region open
      await using broker = await openBroker({ storage: await openDurableStorage(directory) });
      // #endregion
      await broker.createQueue("orders");
      const body = { section: "data", bytes: new Uint8Array(3) } as const;
      await broker.sender("orders").sendBatch(["a", "b"].map((messageId) => ({ messageId, body })));
      const receiver = broker.receiver("orders");
      const [first] = await receiver.receive();
      if (first !== undefined) await receiver.complete(first);
    }
    await using broker = await openBroker({ storage: await openDurableStorage(directory) });
    const received = await broker.receiver("orders").receive(10);
    expect(received.map(({ messageId }) => messageId)).toEqual(["b"]);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});
