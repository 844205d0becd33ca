import { encodeMessage } from "@waybill/amqp";
import { batchMessageFormat, joinBatch } from "@waybill/amqp/batches";
import { pause } from "waybill-harness/waiting.js";
import type { Flood, FloodContext } from "./flood.js";
import { attachCoordinator, attachReceiver, codes, credit, declare, inFrames, transfer } from "./frames.js";
import { longNames, unfinished } from "./link-storms.js";
import { request } from "./requests.js";

// Attacks on memory, by clients with a key.

const fullBatch = 4_500;

export const floodsOfMemory: readonly Flood[] = [
  {
    name: "long link names, Send key",
    run: (context) => longNames(context, "send", "work"),
  },
  {
    name: "unfinished messages of 1 MB on 4,000 links, Send key",
    run: (context) =>
      unfinished(context, { key: "send", address: "work", links: 4_000, frameBytes: 250_000, frames: 4 }),
  },
  {
    name: "replies that are never settled, Listen key",
    run: ({ again }) =>
      again("listen", async (attacker, goesOn) => {
        await attacker.write(attachReceiver("replies", 0, "work/$management"), credit(0, 10_000_000));
        await attacker.attachSender("requests", 1, "work/$management");
        const ask = request("com.microsoft:none", {}, "replies");
        for (let id = 0; goesOn(); id += 50) {
          const sent = attacker.received(codes.transfer);
          await attacker.write(
            ...Array.from({ length: 50 }, (_, i) => transfer(1, id + i, ask, { settled: true })),
          );
          if (!(await attacker.until(() => attacker.received(codes.transfer) >= sent + 50, 200))) break;
        }
      }),
  },
  {
    name: "replies that nobody reads, Listen key",
    attackers: 1,
    async run({ open, isOver }) {
      while (!isOver()) {
        const attackers = await Promise.all(Array.from({ length: 20 }, () => open("listen")));
        const peek = request(
          "com.microsoft:peek-message",
          { "message-count": 1_000, "from-sequence-number": 0 },
          "r",
        );
        for (const attacker of attackers) {
          await attacker.write(attachReceiver("r", 0, "deep/$management"), credit(0, 1_000));
          await attacker.attachSender("requests", 1, "deep/$management");
          attacker.stopReading();
          await attacker.write(
            ...Array.from({ length: 90 }, (_, i) => transfer(1, i, peek, { settled: true })),
          );
        }
        await pause(1_000);
        for (const attacker of attackers) attacker.close();
      }
    },
  },
  {
    name: "messages that nobody reads, Listen key",
    attackers: 1,
    async run({ open, isOver }) {
      while (!isOver()) {
        const attackers = await Promise.all(Array.from({ length: 50 }, () => open("listen")));
        for (const attacker of attackers) {
          await attacker.write(attachReceiver("r", 0, "spare"), credit(0, 1_000_000));
          attacker.stopReading();
        }
        await pause(1_000);
        for (const attacker of attackers) attacker.close();
      }
    },
  },
  {
    name: "empty messages, Send key",
    run: (context) =>
      batches(context, "full", encodeMessage({ body: { kind: "value", value: null } }), fullBatch),
  },
  {
    name: "messages of 1 MB to two queues, Send key",
    async run(context) {
      const large = encodeMessage({ body: { kind: "data", sections: [Buffer.alloc(1_000_000)] } });
      await Promise.all(["full", "work"].map((queue) => batches(context, queue, large, 1)));
    },
  },
  {
    name: "transactions of 100 sends that are never discharged, Send key",
    async run({ again }) {
      const message = encodeMessage({ body: { kind: "value", value: null } });
      await again("send", async (attacker, goesOn) => {
        await attacker.write(attachCoordinator("c", 0));
        await attacker.attachSender("s", 1, "full");
        for (let id = 0; id < 100_000 && goesOn(); id++) {
          await attacker.write(declare(0, id));
          if (!(await attacker.until(() => attacker.transactions.length > 0, 500))) break;
          const transaction = attacker.transactions.pop() ?? message;
          const sends = Array.from({ length: 100 }, () =>
            transfer(1, ++id, message, { settled: true, transaction }),
          );
          await attacker.write(...sends);
        }
      });
    },
  },
];

/** Sends batches of messages that are all the same. */
async function batches(
  { again }: FloodContext,
  queue: string,
  message: Uint8Array,
  count: number,
): Promise<void> {
  const batch = joinBatch(Array.from({ length: count }, () => message));
  await again("send", async (attacker, goesOn) => {
    await attacker.attachSender(queue, 0, queue);
    for (let id = 0; id < 900 && goesOn(); id++) {
      await attacker.write(...inFrames(id, batch, 0, batchMessageFormat));
    }
  });
}
