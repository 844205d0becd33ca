import { createServer } from "node:net";
import {
  acceptedState,
  createConnection,
  type SenderLink,
  scanMessage,
  spliceMessage,
  symbolMap,
  timestamp,
} from "@waybill/amqp";
import { readOptions } from "waybill-harness/options.js";
import { listen } from "waybill-harness/ports.js";
import { join, message, openSession, receiveAll, sendAll, tag, window } from "./amqp-client.js";
import { startChild } from "./harness/child.js";
import { median } from "./harness/measure.js";

// How many 1 KB messages a second @waybill/amqp takes in and gives out over loopback, with both ends ours and in
// processes of their own, and the server's CPU for each. Usage: bench amqp [--messages 200000] [--rounds 5]

if (process.send) serve();
else {
  const { messages, rounds } = readOptions({ messages: 200_000, rounds: 5 });
  await measure(messages, rounds);
}

/** The server: accepts every message, and sends a message for every credit. */
function serve(): void {
  const server = createServer((socket) => {
    join(socket, (output) =>
      createConnection({
        containerId: "server",
        incomingWindow: window * 2,
        handler: {
          ...output,
          onLink: (link) => {
            if (link.role === "sender") {
              give(link);
              return;
            }
            link.handler.onTransfer = (delivery) => {
              scanMessage(delivery.message);
              link.settle(delivery, acceptedState);
            };
            link.accept({ creditWindow: window });
          },
        },
      }),
    );
  });
  void listen(server).then((port) => process.send?.({ port }));
  process.on("message", () => process.send?.(process.cpuUsage()));
  process.on("disconnect", () => process.exit());
}

function give(link: SenderLink): void {
  const stored = scanMessage(message);
  const enqueued = timestamp(new Date());
  link.handler = {
    onCredit: () => {
      while (link.credit > 0) {
        const parts = spliceMessage(stored, {
          header: { deliveryCount: 0 },
          messageAnnotations: symbolMap({
            "x-opt-enqueued-time": enqueued,
            "x-opt-sequence-number": { type: "long", value: 5n },
            "x-opt-locked-until": enqueued,
          }),
        });
        link.send(parts, { deliveryTag: tag });
      }
    },
    onDisposition: (delivery, state) => link.settle(delivery, state),
  };
  link.accept();
}

async function measure(count: number, rounds: number): Promise<void> {
  const child = await startChild<{ port: number }>(new URL(import.meta.url));
  const { session, socket } = await openSession(child.ready.port);
  const serverCpuUs = async () => {
    const { user, system } = await child.process.ask<NodeJS.CpuUsage>("cpu");
    return user + system;
  };
  for (const [name, run] of [
    ["in", sendAll],
    ["out", receiveAll],
  ] as const) {
    await run(session, count, "q");
    const rates: number[] = [];
    const cpu: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const [beforeUs, beforeMs] = [await serverCpuUs(), performance.now()];
      await run(session, count, "q");
      rates.push(count / (performance.now() - beforeMs));
      cpu.push(((await serverCpuUs()) - beforeUs) / count);
    }
    console.log(
      `${name}: ${median(rates).toFixed(0)} k messages/s, server CPU ${median(cpu).toFixed(2)} us each`,
    );
  }
  socket.destroy();
  await child.process.kill();
}
