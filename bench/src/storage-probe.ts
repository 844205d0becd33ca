import { randomBytes } from "node:crypto";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { type BrokerReceiver, type BrokerSender, createBroker, openBroker } from "@waybill/broker";
import { openDurableStorage } from "@waybill/broker-storage-lmdb";
import { required } from "@waybill/foundation";
import { megabytesIn } from "./megabytes-in.js";

// The tasks that are measured in a separate process. Arguments: the task, and the store's directory. Prints one figure, or "ready".

const [task, directory] = process.argv.slice(2) as [string, string];
const body = { section: "data", bytes: randomBytes(1024) } as const;

const tasks: Readonly<Record<string, () => Promise<void>>> = {
  async "start-in-memory"() {
    const startedMs = performance.now();
    const broker = createBroker();
    await broker.createQueue("orders");
    await broker.sender("orders").send({ body });
    console.log(performance.now() - startedMs);
    process.exit();
  },
  async start() {
    const broker = await open();
    await broker.sender("orders").send({ body });
    console.log("ready");
    process.exit();
  },
  async deliver() {
    const broker = await open();
    await broker.receiver("orders").receive();
    console.log("ready");
    process.exit();
  },
  fill: () => fill(100_000),
  "fill-with-many": () => fill(1_000_000),
  async churn() {
    const broker = await open();
    const receiver = broker.receiver("orders", { mode: "receiveAndDelete" });
    await send(broker, 1000);
    for (let moved = 0; moved < 200_000; moved += 500) {
      await send(broker, 500);
      await receiver.receive(500);
    }
    console.log(megabytesIn(directory));
    await broker.close();
  },
  delay: () => measureDelay((sender) => sender.send({ body })),
  "delay-of-cycles": () =>
    measureDelay(async (sender, receiver) => {
      await sender.send({ body });
      const message = required((await receiver.receive())[0]);
      await receiver.complete(message);
    }),
};

const run = tasks[task];
if (run === undefined) throw new TypeError(`There is no task "${task}".`);
await run();

async function fill(count: number): Promise<void> {
  const broker = await open();
  for (let sent = 0; sent < count; sent += 1000) await send(broker, 1000);
  console.log("ready");
  setInterval(() => {}, 1000);
}

async function open() {
  const broker = await openBroker({ storage: await openDurableStorage(directory) });
  if (broker.listEntities().length === 0) await broker.createQueue("orders", { maxSizeInMegabytes: 5120 });
  return broker;
}

/** Prints the delay of the event loop, in ms at the 99th percentile, while 1,000 concurrent loops do their work. */
async function measureDelay(
  workWith: (sender: BrokerSender, receiver: BrokerReceiver) => Promise<void>,
): Promise<void> {
  await using broker = await open();
  const sender = broker.sender("orders");
  const receiver = broker.receiver("orders");
  const work = () => workWith(sender, receiver);
  await Promise.all(Array.from({ length: 1000 }, work));
  const untilMs = performance.now() + 3000;
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const workForAWhile = async () => {
    while (performance.now() < untilMs) await work();
  };
  await Promise.all(Array.from({ length: 1000 }, workForAWhile));
  delay.disable();
  console.log(delay.percentile(99) / 1e6);
}

async function send(broker: Awaited<ReturnType<typeof open>>, count: number): Promise<void> {
  const sender = broker.sender("orders");
  await Promise.all(Array.from({ length: count }, () => sender.send({ body })));
}
