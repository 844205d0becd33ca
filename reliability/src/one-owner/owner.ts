import { writeSync } from "node:fs";
import { BrokerError, openBroker } from "@waybill/broker";
import { openDurableStorage } from "@waybill/broker-storage-lmdb";

// Opens the store of a directory. `send` then sends until it is killed and prints the number of each acknowledged message; `count` prints
// how many messages it found. A refusal is printed, and ends the process with 3; whatever else goes wrong, with 1.

const [directory, work] = process.argv.slice(2) as [string, "send" | "count"];

try {
  const broker = await openBroker({ storage: await openDurableStorage(directory) });
  if (!broker.listEntities().some(({ path }) => path === "orders")) await broker.createQueue("orders");
  if (work === "count") {
    print({ found: broker.snapshot().stores.find(({ path }) => path === "orders")?.messages.length ?? 0 });
    await broker.close();
  } else {
    const sender = broker.sender("orders");
    print({ open: true });
    for (let acknowledged = 1; ; acknowledged++) {
      await sender.send({ body: { section: "data", bytes: new Uint8Array(100) } });
      print({ acknowledged });
    }
  }
} catch (error) {
  if (!(error instanceof BrokerError)) throw error;
  print({ refused: error.code, text: error.message });
  process.exitCode = 3;
}

/** Without a buffer, so that what was printed is not lost with the process. */
function print(line: object): void {
  writeSync(1, `${JSON.stringify(line)}\n`);
}
