import { fork } from "node:child_process";
import { connect, createServer, type Socket } from "node:net";
import { fileURLToPath } from "node:url";
import {
  ACCEPTED,
  type Connection,
  type ConnectionHandler,
  createConnection,
  encodeMessage,
  type SenderLink,
  type Session,
  scanMessage,
  spliceMessage,
  symbolMap,
  timestamp,
} from "@waybill/amqp";

// How many 1 KB messages a second @waybill/amqp takes in and gives out over loopback, with both ends ours and in
// processes of their own, and the server's CPU for each. Run alone: node bench/dist/amqp.js [messages] [rounds].

const WINDOW = 20_000;
const tag = Buffer.alloc(16, 7);
const message = encodeMessage({
  properties: { messageId: "0123456789abcdef" },
  body: { kind: "data", sections: [Buffer.alloc(1024, "x")] },
});

if (process.send) serve();
else await measure(Number(process.argv[2] ?? 200_000), Number(process.argv[3] ?? 5));

/** Joins a connection to a socket: one write a turn. */
function join(socket: Socket, open: (handler: ConnectionHandler) => Connection): Connection {
  const connection = open({
    onOutput: () =>
      queueMicrotask(() => {
        socket.cork();
        for (const part of connection.takeOutput()) socket.write(part);
        socket.uncork();
      }),
  });
  socket.setNoDelay();
  socket.on("data", (bytes) => connection.receive(bytes));
  return connection;
}

/** The server: takes and accepts whatever comes, gives a message with a fresh front for every credit. */
function serve(): void {
  const server = createServer((socket) => {
    join(socket, (output) =>
      createConnection({
        containerId: "server",
        incomingWindow: WINDOW * 2,
        handler: {
          ...output,
          onLink: (link) => {
            if (link.role === "sender") {
              give(link);
              return;
            }
            link.handler.onTransfer = (delivery) => {
              scanMessage(delivery.message);
              link.settle(delivery, ACCEPTED);
            };
            link.accept({ creditWindow: WINDOW });
          },
        },
      }),
    );
  });
  server.listen(0, "127.0.0.1", () => {
    const address = server.address();
    process.send?.({ port: typeof address === "object" ? address?.port : 0 });
  });
  process.on("message", () => process.send?.({ cpu: process.cpuUsage() }));
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
  const child = fork(fileURLToPath(import.meta.url));
  const answer = () =>
    new Promise<{ port: number; cpu: NodeJS.CpuUsage }>((resolve) => child.once("message", resolve));
  const { port } = await answer();
  const socket = connect(port, "127.0.0.1");
  const session = await new Promise<Session>((resolve) => {
    join(socket, (output) =>
      createConnection({
        role: "client",
        containerId: "client",
        incomingWindow: WINDOW * 2,
        handler: { ...output, onOpen: (connection) => resolve(connection.openSession()) },
      }),
    );
  });
  const serverCpuUs = async () => {
    child.send("cpu");
    const { user, system } = (await answer()).cpu;
    return user + system;
  };
  for (const [name, run] of [
    ["in", sendAll],
    ["out", receiveAll],
  ] as const) {
    await run(session, count, `${name}-warm-up`);
    const rates: number[] = [];
    const cpu: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const [beforeUs, beforeMs] = [await serverCpuUs(), performance.now()];
      await run(session, count, `${name}-${round}`);
      rates.push(count / (performance.now() - beforeMs));
      cpu.push(((await serverCpuUs()) - beforeUs) / count);
    }
    console.log(
      `${name}: ${median(rates).toFixed(0)} k messages/s, server CPU ${median(cpu).toFixed(2)} us each`,
    );
  }
  socket.destroy();
  child.disconnect();
}

/** Sends `count` messages, as fast as credit allows, until the last is accepted. */
function sendAll(session: Session, count: number, name: string): Promise<void> {
  const link = session.openSender({ name, target: { kind: "target", address: "q" } });
  return new Promise((resolve) => {
    let sent = 0;
    let accepted = 0;
    link.handler = {
      onCredit: () => {
        while (link.credit > 0 && sent < count) {
          link.send(message, { deliveryTag: tag });
          sent++;
        }
      },
      onDisposition: () => {
        if (++accepted < count) return;
        link.detach();
        resolve();
      },
    };
  });
}

/** Receives and settles `count` messages through a credit window. */
function receiveAll(session: Session, count: number, name: string): Promise<void> {
  const source = { kind: "source", address: "q" } as const;
  const link = session.openReceiver({ name, source, rcvSettleMode: 1 });
  return new Promise((resolve) => {
    let granted = Math.min(count, WINDOW);
    let settled = 0;
    link.addCredit(granted);
    link.handler = {
      onTransfer: (delivery) => link.propose(delivery, ACCEPTED),
      onSettled: () => {
        settled++;
        if (settled === count) {
          link.detach();
          resolve();
        } else if (granted < count && granted - settled <= WINDOW / 2) {
          const more = Math.min(count - granted, WINDOW / 2);
          granted += more;
          link.addCredit(more);
        }
      },
    };
  });
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}
